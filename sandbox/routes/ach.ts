import { ACH_MOVES, move } from '../commerce/states.ts'
import { ApiError } from '../http/api-error.ts'
import { EVERYTHING, readText } from '../http/parameters.ts'
import { create, findNumber, merge, softDelete } from '../model/records.ts'
import { play } from './play.ts'
import type { Call, Route } from './route.ts'
import { list, OtherAnswer } from './route.ts'

/** A request that names another company or shop than its key is for. */
function refuseStrangers({ world, body }: Call): void {
  for (const field of ['companyId', 'shopId'] as const)
    if (typeof body[field] === 'string' && body[field] !== world.shop[field])
      throw new ApiError(403, field, `${field} is not the one of the developer key`)
}

const accountOf = (call: Call): number =>
  findNumber(
    call.world.lists.ach_accounts,
    call.params['shopACHAccountId']!,
    'shopACHAccountId',
    true,
  )

/** No operation makes an ACH transaction: some are seeded. Each is captured or denied once. */
const captureOrDeny =
  (step: 'capture' | 'deny', parameter: string): Route['answer'] =>
  call => {
    const { ach_transactions: all } = call.world.lists
    const number = findNumber(all, call.params[parameter]!, parameter)
    const status = move(ACH_MOVES, step, 'status', String(all.read(number)['status']))
    all.edit(
      number,
      { status, [step === 'capture' ? 'capturedTime' : 'deniedTime']: call.nowMs, updated: true },
      call.nowMs,
    )
    return all.text(number)
  }

const PAGE =
  '<!doctype html><html lang="en"><head><title>Payment received</title></head>' +
  '<body><h1>Thank you</h1><p>Your payment was received. You can close this page.</p></body></html>'

/**
 * The callback of the payment provider takes no keys; it shows a page and remembers which source
 * paid. Nothing that was sent is shown.
 */
const callback: Route['answer'] = call => {
  const { ach_transactions: all } = call.world.lists
  const [number] = all.where('chargeId', readText(call.query, 'charge_id') ?? '')
  const source = readText(call.query, 'payment_source_id')
  if (number !== undefined && source !== undefined)
    all.edit(number, { paymentSourceId: source.slice(0, 100) }, call.nowMs)
  return new OtherAnswer({ type: 'text/html; charset=utf-8', body: PAGE })
}

export const achRoutes: readonly Route[] = [
  play('listAchAccounts', call => {
    const { shop } = call.world
    const own = (['companyId', 'shopId'] as const).every(
      field => (readText(call.query, field) ?? shop[field]) === shop[field],
    )
    return list(call, {
      collection: call.world.lists.ach_accounts,
      range: EVERYTHING,
      sortedBy: 'id',
      matches: account => own && account['deleted'] !== true,
    })
  }),
  play('createAchAccount', call => {
    refuseStrangers(call)
    return create(call.world.lists.ach_accounts, { active: true, ...call.exact }, call.nowMs)
  }),
  play('updateAchAccount', call => {
    refuseStrangers(call)
    return merge(call.world.lists.ach_accounts, accountOf(call), call.exact, call.nowMs)
  }),
  play('deleteAchAccount', call =>
    softDelete(call.world.lists.ach_accounts, accountOf(call), call.nowMs, { active: false }),
  ),
  play('denyAchTransaction', captureOrDeny('deny', 'achTransactionId')),
  play('captureAchTransaction', captureOrDeny('capture', 'transactionId')),
  {
    ...play('receiveAchCallback', callback),
    // Reading: the store of the charge; a charge that nobody knows gets the same page.
    open: (state, query) =>
      state.worlds.find(
        ({ lists }) =>
          lists.ach_transactions.where('chargeId', readText(query, 'charge_id') ?? '').length > 0,
      ) ?? state.worlds[0],
  },
]
