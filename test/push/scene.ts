import { rmSync } from 'node:fs'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPush } from '../../activities/create-push.ts'
import { createDependencies } from '../../activities/dependencies.ts'
import type { Governor } from '../../connectors/partner/governor.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import { openDestination } from '../../connectors/sqlite/destination.ts'
import { openPushPlace } from '../../connectors/sqlite/tables/push.ts'
import { applyPlan } from '../../push/apply/apply-plan.ts'
import { approvePlan } from '../../push/approve.ts'
import { describePlan } from '../../push/document.ts'
import type { PlanDocument, ShownOperation } from '../../push/document.ts'
import { findPlan, loadPlan } from '../../push/find-plan.ts'
import { readInput } from '../../push/input/read-input.ts'
import type { Catalog } from '../../push/operation.ts'
import { makePlan } from '../../push/plan/make-plan.ts'
import type { PlanOrder } from '../../push/plan/make-plan.ts'
import type { Push } from '../../push/push.ts'
import { startSandbox } from '../../sandbox/server.ts'
import type { Sandbox, SandboxOptions } from '../../sandbox/server.ts'

/** A governor that was refused often is slow for minutes, which is tested where it stands. */
export const UNPACED: Governor = {
  run: request => request(),
  foundPerSecond: undefined,
  allowance: { concurrency: 8, requestsPerSecond: Infinity, pausedMs: 0 },
}

export type ApiRecord = Record<string, unknown> & { id: string; externalId: string }

/** A sandbox, a database, and pushes between them; no Temporal. */
export interface Scene {
  sandbox: Sandbox
  push: Push
  folder: string
  write(name: string, text: string): string
  plan(catalog: Catalog, text: string, order?: Partial<PlanOrder>): Promise<PlanDocument>
  approve(plan: string, guarded?: string[]): Promise<PlanDocument>
  apply(plan: string, push?: Push): Promise<PlanDocument>
  show(plan: string): Promise<PlanDocument>
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
  const push = createPush(place, dependencies)
  const control = controlOf(sandbox)
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const show = async (plan: string): Promise<PlanDocument> =>
    describePlan(await loadPlan(push, await findPlan(push, plan)), push.now())
  let files = 0
  const first = sandbox.stores[0]!.id
  return {
    sandbox,
    push,
    folder,
    write,
    show,
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
      await approvePlan(push, await findPlan(push, plan), { by: 'Ana', guarded })
      return show(plan)
    },
    async apply(plan, other = push) {
      await applyPlan(other, plan, { signal: new AbortController().signal, progress: () => {} })
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
