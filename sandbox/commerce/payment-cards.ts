import { invalid, notFound } from '../http/api-error.ts'
import type { JsonRecord } from '../model/collection.ts'
import type { Call } from '../routes/route.ts'
import { cents, decimal } from '../values/money.ts'
import { maskCard } from './pay.ts'
import { textOf } from './values.ts'

/** Reading: a body names a card by `cardNumber`. */
export function readCardNumber(body: JsonRecord): string {
  const number = textOf(body['cardNumber'] ?? body['paymentCardNumber'] ?? body['number'])
  if (number === undefined) throw invalid('cardNumber', 'cardNumber is required')
  if (!/^[\w-]{4,64}$/.test(number))
    throw invalid('cardNumber', 'cardNumber must be 4 to 64 letters and digits')
  return number
}

/** The card as it is answered: never its whole number. */
export function cardAnswer(card: JsonRecord): JsonRecord {
  const { cardNumber, ...rest } = card
  return {
    ...rest,
    cardNumber: maskCard(String(cardNumber)),
    balance: decimal(cents(card['balance']) ?? 0),
  }
}

export function findCard({ world }: Call, cardNumber: string): JsonRecord {
  const { payment_cards: cards } = world.lists
  const [number] = cards.where('cardNumber', cardNumber)
  if (number === undefined) throw notFound('cardNumber', 'There is no such payment card')
  return cards.read(number)
}

/** Adds to a card; a number that nobody has seen is a card that was just sold. */
export function loadCard(
  { world, nowMs }: Call,
  cardNumber: string,
  amountCents: number,
): JsonRecord {
  const { payment_cards: cards } = world.lists
  const [number] = cards.where('cardNumber', cardNumber)
  if (number === undefined)
    return cards.get(
      cards.insert(
        { cardNumber, balance: decimal(amountCents), type: 'GiftCard', active: true },
        nowMs,
      ),
    )!
  cards.edit(
    number,
    { balance: decimal((cents(cards.read(number)['balance']) ?? 0) + amountCents) },
    nowMs,
  )
  return cards.read(number)
}

/** Takes what a gift card pays off the card. */
export function chargeCard(call: Call, cardNumber: string, amountCents: number): void {
  if ((cents(findCard(call, cardNumber)['balance']) ?? 0) < amountCents)
    throw invalid('cardNumber', 'The payment card has not enough balance')
  loadCard(call, cardNumber, -amountCents)
}
