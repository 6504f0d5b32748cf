import { number, required, resource, text } from '../fields.ts'

export const paymentCard = resource(
  'PaymentCard',
  { ...text('cardNumber', 'type', 'status'), ...number('balance') },
  'All fields; read as a card and what is on it.',
)

export const balanceRequest = resource(
  'PaymentCardBalanceRequest',
  required.text('cardNumber'),
  'All fields; read as which card.',
)

export const loadRequest = resource(
  'PaymentCardLoadRequest',
  { ...required.text('cardNumber'), ...number('amount'), ...text('memberId', 'employeeId') },
  'All fields; read as which card and how much.',
)
