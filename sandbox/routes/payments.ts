import { cardAnswer, findCard, loadCard, readCardNumber } from '../commerce/payment-cards.ts'
import { readAmount } from '../commerce/values.ts'
import { invalid } from '../http/api-error.ts'
import { play } from './play.ts'
import type { Route } from './route.ts'

/**
 * Reading: `cardNumber`, and `amount` in the store's money. Loading a number that nobody has seen
 * sells a new card.
 */
export const paymentRoutes: readonly Route[] = [
  play('getPaymentCardBalance', call => cardAnswer(findCard(call, readCardNumber(call.body)))),
  play('loadPaymentCard', call => {
    const amount = readAmount(call.body['amount'], 'amount')
    if (amount === 0) throw invalid('amount', 'amount must be more than 0')
    return cardAnswer(loadCard(call, readCardNumber(call.body), amount))
  }),
]
