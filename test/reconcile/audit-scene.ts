import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { applyPlan } from '../../activities/apply-plan.ts'
import type { Writing } from '../../activities/apply-plan.ts'
import { countSheetCsv, SHEET_COLUMNS } from '../../audit/count-sheet.ts'
import type { SheetColumn } from '../../audit/count-sheet.ts'
import { auditFolder, keepFile, keepSnapshot, seal } from '../../audit/folder.ts'
import { reconcileSettings } from '../../audit/settings.ts'
import type { Snapshot, SnapshotLine } from '../../audit/snapshot.ts'
import { openStoreApi } from '../../audit/store-api.ts'
import type { StoreApi } from '../../audit/store-api.ts'
import { takeSnapshot } from '../../audit/take-snapshot.ts'
import { bringKnown } from '../../books/bring-exports.ts'
import type { OutboundStore } from '../../connectors/destination/outbound.ts'
import { createPartnerClient } from '../../connectors/partner/client.ts'
import { reconciliations } from '../../connectors/partner/streams/reconciliations.ts'
import { migrate } from '../../connectors/sqlite/schema/migrate.ts'
import { openOutboundStore } from '../../connectors/sqlite/tables/outbound.ts'
import { givingLog } from '../../objects/give-folder.ts'
import type { ObjectPlace } from '../../objects/place.ts'
import { approvePlan } from '../../outbound/approve.ts'
import { inRun } from '../../outbound/run.ts'
import type { Target } from '../../outbound/target.ts'
import { applyCounts } from '../../reconcile/apply-counts.ts'
import { makePlan, openCounts } from '../../reconcile/make-plan.ts'
import type { KeptPlan } from '../../reconcile/plan-files.ts'
import type { Reconciling } from '../../reconcile/reconciling.ts'
import { rulesOf } from '../../reconcile/rules.ts'
import { showPlan } from '../../reconcile/show-plan.ts'
import type { ShownPlan } from '../../reconcile/show-plan.ts'
import { startSandbox } from '../../sandbox/server.ts'
import type { Sandbox } from '../../sandbox/server.ts'
import { thisProcess } from '../../temporal/this-process.ts'
import { readCsv } from '../../text/read-csv.ts'
import { csvText } from '../../text/write-csv.ts'
import { governorAlone } from '../helpers/governor.ts'
import { standBetween } from './between.ts'
import type { Speak } from './between.ts'

const SIGNAL = new AbortController().signal
const SMALL_ROOM = 'Delivery Safe'

/** What a counter writes into a line; nothing = the line stays empty. */
export type Written = Partial<Record<SheetColumn, string>> | undefined

export interface StockRow {
  id: string
  inventoryId: string
  batchId: string
  productId: string
  quantity: number
}

/** A store of the sandbox, an audit folder and the bookkeeping, without processes in between. */
export class AuditScene {
  readonly folder = mkdtempSync(join(tmpdir(), 'tillage-test-'))
  readonly exports: string
  readonly settings = {
    currency: 'USD',
    ...reconcileSettings.parse({
      approvers: [
        { name: 'Store manager', role: 'manager' },
        { name: 'Compliance lead', role: 'compliance' },
      ],
      employeeId: 'EMP-1',
      patienceSeconds: 0,
      states: ['CA'],
    }),
  }
  readonly sandbox: Sandbox
  readonly api: StoreApi
  readonly database: string
  readonly store: OutboundStore
  readonly objects: ObjectPlace | undefined
  private readonly opened: { close(): Promise<void> }[] = []

  private constructor(sandbox: Sandbox, database: string, objects: ObjectPlace | undefined) {
    this.sandbox = sandbox
    this.database = database
    this.objects = objects
    this.exports = objects?.mirror ?? join(this.folder, 'exports')
    this.store = givingLog(openOutboundStore(database), objects)
    this.api = this.open()
  }

  /** With a bucket, audits are given into that. */
  static async start(objects?: ObjectPlace): Promise<AuditScene> {
    const sandbox = await startSandbox({ seed: 5, stores: 1, days: 3, transactionsPerDay: 10 })
    const path = join(mkdtempSync(join(tmpdir(), 'tillage-test-')), 'tillage.db')
    await migrate(path, [])
    const scene = new AuditScene(sandbox, path, objects)
    await scene.fillSmallRoom()
    return scene
  }

  /** A store of the sandbox holds more than a thousand lots: a few go to a room that has none. */
  private async fillSmallRoom(): Promise<void> {
    const rooms = await this.records('inventories')
    const vault = rooms.find(({ name }) => name === 'Vault')!
    const rows = await this.stockOf(String(vault['id']))
    await this.moveToSmallRoom(rows.filter(({ quantity }) => quantity > 20).slice(0, 12))
  }

  async moveToSmallRoom(rows: readonly StockRow[]): Promise<void> {
    const rooms = await this.records('inventories')
    const room = rooms.find(({ name }) => name === SMALL_ROOM)!
    for (const { id } of rows) await this.setStock({ id, inventoryId: String(room['id']) })
  }

  /** An API of its own for each run, as after a restart. */
  open(baseUrl = this.sandbox.baseUrl): StoreApi {
    const [store] = this.sandbox.stores
    const { partnerKey } = this.sandbox
    const { id, developerKey } = store!
    const client = createPartnerClient({ baseUrl, partnerKey, developerKey })
    const governor = governorAlone({ concurrency: 8, requestsPerSecond: Infinity })
    return openStoreApi({ id, client, governor }, SIGNAL)
  }

  /** The same API behind a server that says what it likes. */
  async openBehind(speak: Speak): Promise<StoreApi> {
    const between = await standBetween(this.sandbox.baseUrl, speak)
    const api = this.open(between.baseUrl)
    this.opened.push(api, between)
    return api
  }

  /** Each life is a process of its own: what an earlier one began is over. */
  reconciling(api = this.api): Reconciling {
    const { store, settings, exports } = this
    const runner = { ...thisProcess(), isRunning: () => false }
    const target = async (): Promise<Target> => this.target
    const bring = (): Promise<void> => this.bring()
    return { store, settings, exports, bring, runner, now: Date.now, api: () => api, target }
  }

  /** As whoever reads audits does before. */
  async bring(objects = this.objects): Promise<void> {
    expect(await bringKnown({ database: this.database, objects })).toEqual([])
  }

  get target(): Target {
    const { companyId, shopId } = this.sandbox.stores[0]!
    return { baseUrl: this.sandbox.baseUrl, companyId, shopId }
  }

  /** Two small rooms, unless others are named. */
  async snapshot(...rooms: string[]): Promise<Snapshot> {
    const snapshot = await takeSnapshot(this.api, {
      storeName: undefined,
      storeLicense: 'C10-0000001-LIC',
      timeZone: 'America/Los_Angeles',
      rooms: rooms.length === 0 ? ['Quarantine', SMALL_ROOM] : rooms,
      isBlind: true,
      progress: () => {},
      now: Date.now,
    })
    const folder = auditFolder(this.exports, snapshot.store, snapshot.audit)
    keepSnapshot(folder, snapshot)
    const facts = { dataset: 'count_sheet', format: 'csv', rows: snapshot.lines.length }
    const sheet = keepFile(folder, 'sheets/count_sheet.csv', countSheetCsv(snapshot), facts)
    await seal(this.store, folder, [sheet])
    return snapshot
  }

  /** A counts file: what somebody wrote into each line, and lines of his own. */
  count(
    snapshot: Snapshot,
    write: (line: SnapshotLine) => Written,
    found: readonly Written[] = [],
  ): string {
    const sheet = auditFolder(this.exports, snapshot.store, snapshot.audit).path
    const text = readFileSync(join(sheet, 'sheets/count_sheet.csv'), 'utf8').replace('\uFEFF', '')
    const counted_at = new Date().toISOString()
    const who = { counted_by: 'E-14', counted_at, reason_code: 'audit' }
    const lines = readCsv(text).map((row, at) => {
      const written = write(snapshot.lines[at]!)
      return written === undefined ? row : { ...row, ...who, ...written }
    })
    const others = found.map(one => ({ sheet_id: snapshot.sheet, ...who, ...one }))
    const rows = [...lines, ...others].map((row: Record<string, string>) =>
      SHEET_COLUMNS.map(name => row[name] ?? ''),
    )
    const path = join(this.folder, `counts-${snapshot.audit}.csv`)
    writeFileSync(path, csvText(SHEET_COLUMNS, rows))
    return path
  }

  async plan(file: string, isFull = false, settings = this.settings): Promise<KeptPlan> {
    const reasons = { reasons: settings.reasons, isRequired: settings.requiresReasons }
    const counted = await openCounts(this.exports, [file], Date.now(), { reasons })
    const { target } = this
    const order = {
      counted,
      target,
      isFull,
      settings,
      now: Date.now,
      progress: () => {},
      say: () => {},
    }
    return makePlan(this.api, this.store, order, SIGNAL)
  }

  approve(kept: KeptPlan, ...people: string[]): Promise<void> {
    return this.approveAt(Date.now(), kept, ...people)
  }

  async approveAt(atMs: number, kept: KeptPlan, ...people: string[]): Promise<void> {
    const judged = { plan: kept.plan, rules: rulesOf(kept, this.settings) }
    for (const by of people)
      await approvePlan(this.store, judged, { by, atMs, origin: 'kim@till-1' })
  }

  /** One apply as a command does it, and how everything stands after it. */
  async apply(kept: KeptPlan, reconciling = this.reconciling()): Promise<ShownPlan> {
    await this.run(kept, 'apply', reconciling)
    return this.show(kept)
  }

  /** The same as the activity of a worker does it. */
  async applyAsWorker(kept: KeptPlan): Promise<ShownPlan> {
    const reconciling = this.reconciling()
    const writing = { push: { outbound: this.store }, reconciling } as unknown as Writing
    const { plan } = kept.plan
    await inRun(reconciling, { plan, act: 'apply' }, run =>
      applyPlan(writing, { plan, run }, SIGNAL),
    )
    return this.show(kept)
  }

  /** Carries out what a person has just decided. */
  async resolve(kept: KeptPlan): Promise<ShownPlan> {
    await this.run(kept, 'resolve', this.reconciling())
    return this.show(kept)
  }

  private async run(
    { plan: { plan } }: KeptPlan,
    act: 'apply' | 'resolve',
    reconciling: Reconciling,
  ): Promise<void> {
    const round = { signal: SIGNAL, progress: () => {}, say: () => {} }
    await inRun(reconciling, { plan, act }, run => applyCounts(reconciling, { plan, run }, round))
  }

  show(kept: KeptPlan): Promise<ShownPlan> {
    return showPlan(this.reconciling(), kept)
  }

  async fault(rule: object): Promise<void> {
    await fetch(`${this.sandbox.baseUrl}/_control/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(rule),
    })
  }

  /** How often fault rules have hit so far. */
  async fired(): Promise<number> {
    const answer = await fetch(`${this.sandbox.baseUrl}/_control/faults`)
    const { faults } = (await answer.json()) as { faults: { fired: number }[] }
    return faults.reduce((sum, { fired }) => sum + fired, 0)
  }

  /** Reconciliations of others, so many that the history has several pages. */
  async insertHistory(many: number): Promise<void> {
    for (let at = 0; at < many; at++)
      await fetch(`${this.sandbox.baseUrl}/_control/records`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          store: this.sandbox.stores[0]!.id,
          stream: 'reconciliations',
          op: 'insert',
          record: { note: `by somebody else, ${at}`, requestNo: 90_000 + at },
        }),
      })
  }

  /** What lies of each lot in a room, by the sandbox itself. */
  async stockOf(inventoryId: string): Promise<StockRow[]> {
    const rows = (await this.records('batch_quantities')) as unknown as StockRow[]
    return rows.filter(row => row.inventoryId === inventoryId)
  }

  private async records(stream: string): Promise<Record<string, unknown>[]> {
    const query = `store=${this.sandbox.stores[0]!.id}&stream=${stream}&full=1`
    const answer = await fetch(`${this.sandbox.baseUrl}/_control/records?${query}`)
    const lines = (await answer.text()).split('\n').filter(line => line !== '')
    return lines.map(line => JSON.parse(line) as Record<string, unknown>)
  }

  /** Somebody else moves stock: a row of a lot in a room is changed, or comes. */
  async setStock(row: Partial<StockRow>): Promise<void> {
    const { id, ...patch } = row
    await this.change('batch_quantities', id, patch)
  }

  /** Somebody else changes a record of the sandbox, or adds one. */
  async change(stream: string, id: string | undefined, patch: object): Promise<void> {
    const change = id === undefined ? { op: 'insert', record: patch } : { op: 'edit', id, patch }
    const store = this.sandbox.stores[0]!.id
    await fetch(`${this.sandbox.baseUrl}/_control/records`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ store, stream, ...change }),
    })
  }

  /** Profiles of the sandbox, or none of them. */
  async play(...profiles: string[]): Promise<void> {
    await fetch(`${this.sandbox.baseUrl}/_control/profiles`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(profiles),
    })
  }

  async noFaults(): Promise<void> {
    await fetch(`${this.sandbox.baseUrl}/_control/faults`, { method: 'DELETE' })
  }

  /** What the API's history holds, by the tokens in its notes. */
  async posted(): Promise<string[]> {
    const history = await this.api.readList(reconciliations)
    return history.flatMap(({ note }) => /\[tlg:(\w+)\]/.exec(String(note))?.slice(1) ?? [])
  }

  async close(): Promise<void> {
    for (const one of [...this.opened, this.api]) await one.close()
    await this.store.close()
    await this.sandbox.close()
    rmSync(this.folder, { recursive: true, force: true })
  }
}
