import { DAY_MS } from '../../calendar/days.ts'
import type { Sandbox } from '../../sandbox/server.ts'
import { control } from '../helpers/project.ts'
import type { Truth, Wire } from './truth.ts'
import { cents, fieldsOf, isBooked, isCannabis, readTruth, rowsOf } from './truth.ts'

/** One thing that a store did to a sale after its books were written. */
export interface LateEdit {
  kind: (typeof KINDS)[number]
  store: string
  /** What it changed, or made. */
  id: string
  /** The record as it was; without it, there was none. */
  before: Wire | undefined
}

const KINDS = [
  'void',
  'pay otherwise',
  'refund',
  'tip',
  'remove',
  'refund a part',
  'move to the day before',
  'delete',
  'become medical',
  'reopen',
] as const

/**
 * Plays a till's late edits: one in twenty sales of a day, each of another kind, and the clock that
 * the sandbox does not have.
 */
export class LateEdits {
  readonly done: LateEdit[] = []
  private readonly sandbox: Sandbox
  private readonly firstMs: number
  private readonly touched = new Set<string>()
  private readonly turns = new Map<string, number>()

  /** Nothing is moved before `firstMs`: it would leave the days that are looked at. */
  constructor(sandbox: Sandbox, firstMs: number) {
    this.sandbox = sandbox
    this.firstMs = firstMs
  }

  /**
   * So many edits of sales that ended before `untilMs`, by turns of the newest and of the oldest,
   * all at that time.
   */
  async play(store: string, edits: number, untilMs: number): Promise<void> {
    const truth = await readTruth(this.sandbox, store)
    const endedMs = (record: Wire): number => Number(record['completedTime'])
    const open = truth.transactions
      .filter(
        record =>
          isBooked(record) &&
          record['transType'] === 'Sale' &&
          !this.touched.has(String(record['id'])),
      )
      .filter(record => endedMs(record) < untilMs && endedMs(record) > this.firstMs + 2 * DAY_MS)
      // An edit of nothing, or of goods that are booked alike whoever buys them, is none.
      .filter(
        ({ cart }) =>
          cents(fieldsOf(cart)['total']) > 0 &&
          rowsOf(fieldsOf(cart)['items']).some(item => isCannabis(truth, item)),
      )
      .sort((a, b) => endedMs(a) - endedMs(b))
    for (let number = 0; number < edits && open.length > 0; number++) {
      // Each store begins elsewhere, so that few edits are of many kinds.
      const turn = this.turns.get(store) ?? (this.turns.size * KINDS.length) / 2
      this.turns.set(store, turn + 1)
      const kind = KINDS[turn % KINDS.length]!
      const record = (turn % 2 === 0 ? open.pop() : open.shift())!
      const id = await this.apply(store, kind, record, untilMs + number)
      for (const one of [id, String(record['id'])]) this.touched.add(one)
      this.done.push({ kind, store, id, before: id === record['id'] ? record : undefined })
    }
  }

  /** Answers the id of the record that is another now. */
  private async apply(
    store: string,
    kind: LateEdit['kind'],
    record: Wire,
    atMs: number,
  ): Promise<string> {
    const id = String(record['id'])
    const cart = fieldsOf(record['cart'])
    // A seeded sale may have been modified later than this morning; no edit goes back behind that.
    const modifiedMs = Math.max(atMs, Number(record['modified']) + 1)
    const post = async (path: string, body: object): Promise<string> =>
      ((await control(this.sandbox, 'POST', path, { store, ...body })) as { id: string }).id
    const patch = (changed: string, fields: object): Promise<string> =>
      post('records', {
        stream: 'transactions',
        op: 'edit',
        id: changed,
        patch: { ...fields, modified: modifiedMs },
      })
    const at = {
      created: atMs,
      checkinTime: atMs,
      startTime: atMs,
      processedTime: atMs,
      completedTime: atMs,
      endTime: atMs,
    }
    switch (kind) {
      case 'void':
        return patch(await post('void', { transactionId: id }), {})
      case 'pay otherwise':
        return patch(
          await post('edit-payment', {
            transactionId: id,
            paymentOption: cart['paymentOption'] === 'Debit' ? 'Credit' : 'Debit',
          }),
          {},
        )
      case 'refund':
        return patch(await post('refund', { transactionId: id }), at)
      case 'refund a part':
        return patch(
          await post('refund', {
            transactionId: id,
            orderItemIds: [rowsOf(cart['items'])[0]!['orderItemId']],
            restock: false,
          }),
          at,
        )
      case 'tip':
        return patch(id, {
          payments: rowsOf(record['payments']).map((row, index) =>
            index > 0
              ? row
              : {
                  ...row,
                  blazeTip: (cents(row['blazeTip']) + 150) / 100,
                  paymentReceived: (cents(row['paymentReceived']) + 150) / 100,
                },
          ),
        })
      case 'remove':
        return post('records', { stream: 'transactions', op: 'delete', id })
      case 'delete':
        return patch(id, { deleted: true })
      case 'become medical':
        return patch(id, {
          cart: {
            ...cart,
            consumerType: cart['consumerType'] === 'AdultUse' ? 'MedicinalState' : 'AdultUse',
          },
        })
      case 'move to the day before':
        return patch(id, { completedTime: Number(record['completedTime']) - DAY_MS })
      case 'reopen':
        return patch(id, { status: 'InProgress' })
    }
  }
}

/** The truth as it would be if one edit had not happened. */
export function withhold(truth: Truth, { id, before }: LateEdit): Truth {
  const others = truth.transactions.filter(record => record['id'] !== id)
  return { ...truth, transactions: before === undefined ? others : [...others, before] }
}
