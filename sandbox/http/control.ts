import type { FastifyInstance, FastifyRequest } from 'fastify'
import { editPayment, voidTransaction } from '../commerce/late-edits.ts'
import { refundTransaction } from '../commerce/refund.ts'
import type { ActionContext } from '../events/emit.ts'
import { findProfile } from '../faults/profiles.ts'
import type { FaultRule } from '../faults/rules.ts'
import type { JsonRecord } from '../model/collection.ts'
import type { ListName } from '../model/lists.ts'
import type { State } from '../model/state.ts'
import type { World } from '../model/world.ts'
import type { Body } from './body.ts'
import { readTruth } from './truth.ts'

interface RecordChange {
  store?: string
  stream?: string
  op?: string
  record?: JsonRecord
  id?: string
  patch?: JsonRecord
}

/**
 * `/_control/...`: what no partner has and every test needs. No credentials; nothing here is part
 * of the API.
 */
export function registerControl(app: FastifyInstance, state: State): void {
  void app.register(
    async control => {
      controlFaults(control, state)
      controlTransactions(control, state)
      controlRecords(control, state)
      control.get('/deliveries', request => ({
        deliveries: state.outbox.read((request.query as Record<string, string>)['store']),
      }))
      control.get('/requests', () => state.log.read())
      control.post('/reset', () => {
        state.reset()
        return { reset: true }
      })
    },
    { prefix: '/_control' },
  )
}

/** Fault rules and profiles, while the sandbox runs. */
function controlFaults(control: FastifyInstance, state: State): void {
  control.get('/faults', () => ({ faults: state.faults.list() }))
  control.post('/faults', request => {
    const body = plain(request) as FaultRule | FaultRule[]
    return { faults: state.faults.add(Array.isArray(body) ? body : [body]) }
  })
  control.delete('/faults', () => {
    state.faults.clear()
    return { faults: 0 }
  })
  control.post('/profiles', request => {
    const names = plain(request)
    if (!Array.isArray(names)) throw new RangeError('profiles: send a JSON list of names')
    state.useProfiles(names.map(name => findProfile(String(name))))
    return { profiles: names as unknown[] }
  })
}

/** What a store does to a transaction after the fact, and no operation of the API does. */
function controlTransactions(control: FastifyInstance, state: State): void {
  control.post('/void', request =>
    edit(state, plain(request), (doing, { transactionId }) =>
      voidTransaction(doing, transactionId),
    ),
  )
  control.post('/edit-payment', request =>
    edit(state, plain(request), (doing, { transactionId, paymentOption }) =>
      editPayment(doing, transactionId, paymentOption),
    ),
  )
  control.post('/refund', request =>
    edit(state, plain(request), (doing, { transactionId, orderItemIds, restock }) =>
      refundTransaction(doing, transactionId, {
        orderItemIds,
        restock: restock !== false,
        sign: state.behaviour.refundSign,
      }),
    ),
  )
}

/** The true records of a list, and any change to them. */
function controlRecords(control: FastifyInstance, state: State): void {
  control.post('/records', request =>
    state.changeLog.run(state.requestNumber, () => change(state, exact(request) as RecordChange)),
  )
  control.get('/records', (request, reply) => {
    const query = request.query as Record<string, string>
    const { world, list } = findList(state, query['store'], query['stream'])
    return reply
      .header('content-type', 'application/x-ndjson; charset=utf-8')
      .send(readTruth(world.lists[list], query))
  })
}

interface LateEdit {
  store?: string
  transactionId: string
  paymentOption?: unknown
  orderItemIds?: readonly string[] | undefined
  restock?: boolean
}

/** Does to a transaction what no operation does, and tells webhooks about it. */
function edit(
  state: State,
  body: unknown,
  doIt: (doing: ActionContext, body: LateEdit) => string,
): { id: string; modified: number } {
  const wanted: LateEdit = { transactionId: '', ...(body as Partial<LateEdit> | null) }
  if (wanted.orderItemIds !== undefined && !Array.isArray(wanted.orderItemIds))
    throw new RangeError('orderItemIds: send a JSON list of ids')
  const world = findStore(state, wanted.store)
  const doing: ActionContext = { world, nowMs: state.nowMs(world.shop), events: [] }
  const [id, parcels] = state.changeLog.run(
    state.requestNumber,
    () => [doIt(doing, wanted), state.outbox.put(world, doing.events, doing.nowMs)] as const,
  )
  state.outbox.send(world, parcels)
  const { transactions } = world.lists
  return { id, modified: transactions.modifiedOf(transactions.find(id)!) }
}

function findStore(state: State, store: string | undefined): World {
  const world = state.worlds.find(({ shop }) => shop.id === store)
  if (world === undefined)
    throw new RangeError(
      `store is ${String(store)}; valid are ${state.worlds.map(({ shop }) => shop.id).join(', ')}`,
    )
  return world
}

function findList(
  state: State,
  store: string | undefined,
  stream: string | undefined,
): { world: World; list: ListName } {
  const world = findStore(state, store)
  const list = (Object.keys(world.lists) as ListName[]).find(name => name === stream)
  if (list === undefined)
    throw new RangeError(
      `stream is ${String(stream)}; valid are ${Object.keys(world.lists).join(', ')}`,
    )
  return { world, list }
}

function change(state: State, body: RecordChange): { id: string; modified: number | undefined } {
  const { world, list } = findList(state, body.store, body.stream)
  const collection = world.lists[list]
  const nowMs = state.nowMs(world.shop)
  if (body.op === 'insert') {
    const id = collection.insert(body.record ?? {}, nowMs)
    return { id, modified: collection.modifiedOf(collection.find(id)!) }
  }
  const number = collection.find(body.id ?? '')
  if (number === undefined) throw new RangeError(`${list} has no record ${String(body.id)}`)
  const id = collection.idOf(number)
  if (body.op === 'edit') {
    collection.edit(number, body.patch ?? {}, nowMs)
    return { id, modified: collection.modifiedOf(number) }
  }
  if (body.op !== 'delete')
    throw new RangeError(`op is ${String(body.op)}; valid are insert, edit, delete`)
  collection.remove(number)
  return { id, modified: undefined }
}

const plain = (request: FastifyRequest): unknown =>
  (request.body as Body | undefined)?.plain ?? null
/** Numbers keep their digits, so that an edited price stays `12.50`. */
const exact = (request: FastifyRequest): unknown => (request.body as Body | undefined)?.exact ?? {}
