import type { Sandbox } from '../../sandbox/server.ts'

type Answer = Record<string, unknown> & { id: string }

export interface Lot {
  inventoryId: string
  batchId: string
}

/** Somebody who buys things while others count. */
export class Shopper {
  private readonly sandbox: Sandbox
  private consumer = ''

  constructor(sandbox: Sandbox) {
    this.sandbox = sandbox
  }

  /** Ready to be bought; `buy` then takes a single request. */
  async order(productId: string, quantity: number): Promise<string> {
    if (this.consumer === '') {
      const person = { firstName: 'Ada', lastName: 'Buyer', email: 'ada@mail.example' }
      await this.send('POST', '/members', person)
      const user = await this.send('POST', '/user/register', { ...person, password: 'correct' })
      this.consumer = user.id
    }
    const cart = await this.send('POST', `/store/cart/prepare?cuid=${this.consumer}`, {
      cart: { items: [{ productId, quantity }] },
    })
    const { transactionId } = await this.send('POST', `/store/cart/submitCart/${cart.id}`)
    return String(transactionId)
  }

  /** Completes an order; answers from where it was taken. */
  async buy(transactionId: string): Promise<Lot> {
    await this.send('POST', `/transactions/${transactionId}/complete`, {})
    const { cart } = await this.send('GET', `/transactions/${transactionId}`)
    const [item] = (cart as { items: { quantityLogs: Lot[] }[] }).items
    return item!.quantityLogs[0]!
  }

  private async send(method: string, path: string, body?: object): Promise<Answer> {
    const { baseUrl, partnerKey, stores } = this.sandbox
    const answer = await fetch(`${baseUrl}/api/v1/partner${path}`, {
      method,
      headers: {
        'x-api-key': partnerKey,
        authorization: stores[0]!.developerKey,
        'content-type': 'application/json',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return JSON.parse(text) as Answer
  }
}
