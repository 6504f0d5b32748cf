import { json, record } from './fields.ts'
import { group, post } from './operation.ts'
import { balanceRequest, loadRequest, paymentCard } from './resources/payment-card.ts'

export const payments = group('Payments', '/api/v1/partner/payments', {
  getPaymentCardBalance: post('/balance', 'Balance of a payment card', {
    body: json(balanceRequest),
    answer: record(paymentCard),
    notShown: ['Body and answer: cardNumber, and the card.'],
  }),
  loadPaymentCard: post('/load', 'Loads a payment card', {
    body: json(loadRequest),
    answer: record(paymentCard),
    notShown: ['Body and answer: cardNumber and amount, and the card.'],
  }),
})
