import { rmSync } from 'node:fs'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPush } from '../../activities/create-push.ts'
import { createDependencies } from '../../activities/dependencies.ts'
import type { StoredReceipt } from '../../connectors/destination/outbound.ts'
import type { Governor } from '../../connectors/partner/governor.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import { openDestination } from '../../connectors/sqlite/destination.ts'
import { receiptPath } from '../../outbound/receipt.ts'
import type { RoundResult } from '../../outbound/round.ts'
import { inRun } from '../../outbound/run.ts'
import type { Runner } from '../../outbound/run.ts'
import { applyPlan } from '../../push/apply/apply-plan.ts'
import { approvePush } from '../../push/approve.ts'
import { showPlan } from '../../push/document.ts'
import type { PlanDocument, ShownOperation } from '../../push/document.ts'
import { readInput } from '../../push/input/read-input.ts'
import { planFolder } from '../../push/load-plan.ts'
import type { Catalog } from '../../push/operation.ts'
import { makePlan } from '../../push/plan/make-plan.ts'
import type { PlanOrder } from '../../push/plan/make-plan.ts'
import type { Push } from '../../push/push.ts'
import { pushSettings } from '../../push/settings.ts'
import { startSandbox } from '../../sandbox/server.ts'
import type { Sandbox, SandboxOptions } from '../../sandbox/server.ts'
import { thisProcess } from '../../temporal/this-process.ts'
import { openPushPlace } from './push-place.ts'

/** A governor that was refused often is slow for minutes, which is tested where it stands. */
export const UNPACED: Governor = {
  run: request => request(),
  foundPerSecond: undefined,
  allowance: { concurrency: 8, requestsPerSecond: Infinity, pausedMs: 0 },
}

type Store = ReturnType<Push['store']>
type Send = Store['client']['send']

/** The same push, whose requests somebody else hands on, or answers himself. */
export const through = (push: Push, handOn: (send: Send) => Send): Push => ({
  ...push,
  store(id) {
    const { client, ...rest } = push.store(id)
    return { ...rest, client: { ...client, send: handOn(client.send.bind(client)) } }
  },
})

/** An API that takes another text for one that is sent. */
export const replacing = (push: Push, text: string, taken: string): Push =>
  through(push, send => (request, signal) => {
    const { body } = request
    return send(
      typeof body === 'string' ? { ...request, body: body.replace(text, taken) } : request,
      signal,
    )
  })

export type ApiRecord = Record<string, unknown> & { id: string; externalId: string }

/** A sandbox, a database, and pushes between them; no Temporal. */
export interface Scene {
  sandbox: Sandbox
  push: Push
  dependencies: ReturnType<typeof createDependencies>
  folder: string
  write(name: string, text: string): string
  plan(catalog: Catalog, text: string, order?: Partial<PlanOrder>): Promise<PlanDocument>
  approve(plan: string, guarded?: string[]): Promise<PlanDocument>
  apply(plan: string, push?: Push): Promise<PlanDocument>
  show(plan: string): Promise<PlanDocument>
  receiptPath(receipt: StoredReceipt): string
  /** Records of a list as the sandbox holds them, as text. */
  raw(stream: string, store?: string): Promise<string[]>
  records(stream: string, store?: string): Promise<ApiRecord[]>
  edit(stream: string, id: string, patch: string, store?: string): Promise<void>
  faults(...rules: object[]): Promise<void>
  /** `PUT /api/...` and the like, in order; `since` counts from the start of the sandbox. */
  writes(): Promise<string[]>
  close(): Promise<void>
}

export async function startScene(options: SandboxOptions = {}): Promise<Scene> {
  const sandbox = await startSandbox({ stores: 1, days: 1, transactionsPerDay: 1, ...options })
  const folder = mkdtempSync(join(tmpdir(), 'tillage-push-'))
  const database = join(folder, 'tillage.db')
  const destination = await openDestination(database, streams)
  const stores = sandbox.stores.map(({ id, developerKey }) => ({
    id,
    baseUrl: sandbox.baseUrl,
    partnerKey: sandbox.partnerKey,
    developerKey,
    timeZone: undefined,
    limits: { concurrency: 8, requestsPerSecond: Number.POSITIVE_INFINITY },
  }))
  const dependencies = createDependencies(destination, streams, stores, () =>
    Promise.reject(new Error('a push writes no books')),
  )
  const place = openPushPlace(database)
  const mine = { settings: pushSettings.parse({}), runner: restartable() }
  const push = createPush({ ...place, ...mine }, dependencies)
  const control = controlOf(sandbox)
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const show = (plan: string): Promise<PlanDocument> => showPlan(push, plan)
  let files = 0
  const first = sandbox.stores[0]!.id
  return {
    sandbox,
    push,
    dependencies,
    folder,
    write,
    show,
    receiptPath: receipt =>
      receiptPath(join(planFolder(push.folder, receipt.plan), 'receipts'), receipt),
    ...control,
    async plan(catalog, text, order = {}) {
      const input = await readInput(catalog, write(`${++files}.csv`, text))
      if (input.problems.length > 0) throw new Error(JSON.stringify(input.problems))
      const plan = await makePlan(
        { ...push, say: () => {} },
        {
          catalog,
          input,
          stores: [first],
          create: [],
          deactivateMissing: false,
          cap: { count: 5, percent: true },
          ...order,
        },
        new AbortController().signal,
      )
      return show(plan)
    },
    async approve(plan, guarded = []) {
      await approvePush(push, plan, { by: 'Ana', origin: 'ana@till-1', guarded })
      return show(plan)
    },
    async apply(plan, other = push) {
      await applyInRun(other, plan)
      return show(plan)
    },
    async close() {
      await place.close()
      await dependencies.close()
      await sandbox.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** As if a process had written down that it sends an operation, and died. */
export async function dieSending({ outbound, runner, now }: Push, plan: string): Promise<void> {
  const step = {
    op: 'op-1',
    from: ['planned'],
    to: 'submitted',
    event: 'sent',
    detail: '',
  } as const
  const at = new Date(now()).toISOString()
  await inRun({ store: outbound, runner, now }, { plan, act: 'apply' }, run =>
    outbound.move({ plan, ...step, at, sendsIn: run }),
  )
}

/** One apply, as a command does it, without Temporal in between. */
export function applyInRun(
  push: Push,
  plan: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<RoundResult> {
  const place = { store: push.outbound, runner: push.runner, now: push.now }
  const round = { signal, progress: () => {}, say: () => {} }
  return inRun(place, { plan, act: 'apply' }, run => applyPlan(push, { plan, run }, round))
}

/** Each life is a process of its own: what an earlier one began is over. */
const restartable = (): Runner => ({ ...thisProcess(), isRunning: () => false })

type Control = Pick<Scene, 'raw' | 'records' | 'edit' | 'faults' | 'writes'>

function controlOf({ baseUrl, stores }: Sandbox): Control {
  const ask = async (path: string, body?: string): Promise<string> => {
    const headers = { 'content-type': 'application/json' }
    const sent = body === undefined ? {} : { method: 'POST', body, headers }
    const answer = await fetch(`${baseUrl}/_control/${path}`, sent)
    const text = await answer.text()
    if (!answer.ok) throw new Error(text)
    return text
  }
  const first = stores[0]!.id
  const raw = async (stream: string, store = first): Promise<string[]> =>
    (await ask(`records?store=${store}&stream=${stream}&full=1`))
      .split('\n')
      .filter(line => line !== '')
  return {
    raw,
    records: async (stream, store) =>
      (await raw(stream, store)).map(line => JSON.parse(line) as ApiRecord),
    async edit(stream, id, patch, store = first) {
      const body = `{"store":"${store}","stream":"${stream}","op":"edit","id":"${id}","patch":${patch}}`
      await ask('records', body)
    },
    async faults(...rules) {
      await fetch(`${baseUrl}/_control/faults`, { method: 'DELETE' })
      if (rules.length > 0) await ask('faults', JSON.stringify(rules))
    },
    async writes() {
      const { requests } = JSON.parse(await ask('requests')) as {
        requests: { method: string; path: string }[]
      }
      return requests
        .filter(({ method }) => method !== 'GET')
        .map(({ method, path }) => `${method} ${path}`)
        .filter(line => line.includes('/api/'))
    },
  }
}

export const operationsOf = (document: PlanDocument): ShownOperation[] =>
  document.stores.flatMap(store => store.operations)

/** How each operation stands, by external id. */
export const statesOf = (document: PlanDocument): Record<string, string> =>
  Object.fromEntries(operationsOf(document).map(({ externalId, state }) => [externalId, state]))

/** Waiting takes no time. */
export function hurried(push: Push): Push {
  let nowMs = push.now()
  return {
    ...push,
    store: id => ({ ...push.store(id), governor: UNPACED }),
    now: () => nowMs,
    sleep: async ms => void (nowMs += ms),
  }
}
