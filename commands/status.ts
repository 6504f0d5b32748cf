import { describeClock } from '../audit/clocks.ts'
import { openClocks } from '../audit/confirmation.ts'
import type { BooksPlace } from '../books/books-place.ts'
import { daysBeforeNewChart } from '../books/changed-chart.ts'
import { unpostedDays } from '../books/unposted-days.ts'
import { toIso } from '../calendar/days.ts'
import { openReadOnly } from '../connectors/database.ts'
import { watermarkOf } from '../connectors/destination/coverage.ts'
import type { ReadOnlyDatabase } from '../connectors/destination/read-only.ts'
import { NOTABLE_SKEW_MS } from '../connectors/partner/api-clock.ts'
import { keptPace } from '../connectors/partner/known-pace.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import type { Stream } from '../connectors/stream.ts'
import { TillageError } from '../errors.ts'
import { describeWaiting, waitingPlans } from '../outbound/waiting-plans.ts'
import { describeSkew, keptSkewMs } from '../reading/api-time.ts'
import { NOT_OFFERED } from '../reading/check-offered.ts'
import type { ReconcileStanding } from '../reconcile/alarm.ts'
import { earlyNights } from '../schedules/early-nights.ts'
import { readDue } from '../schedules/read-due.ts'
import type { DueLine } from '../schedules/read-due.ts'
import { chooseReadStores, chooseStores } from './arguments/choices.ts'
import { describeAnotherChart } from './books/another-chart.ts'
import { describeUnposted } from './books/describe-month.ts'
import { declareCommand, option } from './command.ts'
import type { Context } from './command.ts'
import { judgePlanOf } from './plans/judge-plan.ts'
import { withOutbound } from './plans/with-outbound.ts'
import { readReconcileStanding } from './reconcile/standing.ts'
import { describeStatus, statusAsJson } from './status/describe-status.ts'
import type { Status, StoreStatus } from './status/describe-status.ts'
import { isStanding } from './status/standing-findings.ts'
import { attentionOf, provenParts, rowsOf } from './status/store-status.ts'
import type { StreamStatus } from './status/store-status.ts'
import { askWorker, describeWorker, isStranded } from './status/worker-is-up.ts'
import { countOf } from './terminal/number.ts'

interface StatusOptions {
  store?: string
  all?: boolean
}

/**
 * `tillage status`: one line for each store with what needs attention first; each stream with
 * `--store` or `--all`. 3 if something is unproven, dead-lettered or parked, or was due and did not
 * happen.
 */
async function status({ config, terminal }: Context, options: StatusOptions): Promise<number> {
  const database = await openReadOnly(config, streams)
  try {
    const worker = await askWorker(config, database.identity)
    const due = await readDue(database, { nowMs: Date.now(), workerIsUp: worker.isUp })
    const configured = chooseStores(config, undefined)
    const chosen = await chooseReadStores(config, database, options.store)
    const strangers =
      options.store === undefined
        ? (await database.stores.all()).map(({ id }) => id).filter(id => !chosen.includes(id))
        : []
    const stores: StoreStatus[] = []
    for (const store of [...chosen, ...strangers])
      stores.push(await readStore(database, store, due, configured.includes(store)))
    const standings = await readStandings(config, database, stores)
    const isStuck = await addWaitingPlans(config, stores)
    addChangedChart(config, database, stores)
    const isUnposted = await addUnposted({ config, database }, stores)
    addEarlyNights(config, stores)
    const isLate = addOpenClocks(config, stores)
    const whole: Status = {
      database: config.database,
      worker,
      stores,
      due: due.filter(line => chosen.includes(line.store)),
    }
    const everyStream = options.all === true || options.store !== undefined
    terminal.print(
      terminal.json
        ? statusAsJson(whole)
        : describeStatus(whole, everyStream, describeWorker(worker, config)),
    )
    return isStuck || isLate || isUnposted || standings.some(({ isOverdue }) => isOverdue)
      ? 3
      : exitStatusOf(whole)
  } finally {
    await database.close()
  }
}

/** A changed chart is a question: nothing is posted again by itself. */
function addChangedChart(
  config: Context['config'],
  { givenOut }: ReadOnlyDatabase,
  stores: readonly StoreStatus[],
): void {
  for (const { store, attention } of stores) {
    const days = daysBeforeNewChart(config, givenOut, store)
    if (days.length > 0) attention.push(describeAnotherChart(store, days))
  }
}

/** Of a store: a question is answered in seconds. */
const DAYS_COMPUTED = 31

/** Booked days whose rows say something else by now; answers whether there is one. */
async function addUnposted(place: BooksPlace, stores: readonly StoreStatus[]): Promise<boolean> {
  let isUnposted = false
  for (const { store, configured, isZoneWrong, attention } of stores) {
    if (!configured || isZoneWrong) continue
    const { days, notComputed } = await unpostedDays(place, store, { limit: DAYS_COMPUTED })
    attention.push(...days.map(describeUnposted))
    if (notComputed > 0)
      attention.push(`${countOf(notComputed, 'more day')} may have changed: tillage books`)
    isUnposted ||= days.length > 0 || notComputed > 0
  }
  return isUnposted
}

/** What the configuration does to the nights of a store. */
function addEarlyNights(config: Context['config'], stores: readonly StoreStatus[]): void {
  for (const early of earlyNights(config))
    stores.find(({ store }) => store === early.store)?.attention.push(early.warning)
}

/**
 * Plans that wait for a person stand among what needs attention, with how long; answers whether one
 * needs more than an approval.
 */
async function addWaitingPlans(
  config: Context['config'],
  stores: readonly StoreStatus[],
): Promise<boolean> {
  const nowMs = Date.now()
  let isStuck = false
  await withOutbound(config, async outbound => {
    const judge = judgePlanOf(config, outbound)
    for (const { store, attention } of stores) {
      const waiting = await waitingPlans(outbound, store, { nowMs, judge })
      attention.push(...waiting.map(plan => describeWaiting(plan, nowMs)))
      isStuck ||= waiting.some(({ why }) => why !== 'not approved')
    }
  })
  return isStuck
}

/** Clocks that a confirmed discrepancy has started; answers whether one has run out. */
function addOpenClocks(config: Context['config'], stores: readonly StoreStatus[]): boolean {
  const nowMs = Date.now()
  let isLate = false
  for (const { store, attention } of stores)
    for (const clock of openClocks(config.exports, store)) {
      attention.push(`${clock.audit}: ${describeClock(clock, nowMs)}`)
      isLate ||= Date.parse(clock.dueAt) <= nowMs
    }
  return isLate
}

/** Days since the last full reconciliation stand among what needs attention. */
async function readStandings(
  config: Context['config'],
  { ledger }: ReadOnlyDatabase,
  stores: readonly StoreStatus[],
): Promise<ReconcileStanding[]> {
  return withOutbound(config, async outbound => {
    const standings: ReconcileStanding[] = []
    for (const { store, configured, attention } of stores) {
      const standing = await readReconcileStanding(config, { outbound, ledger }, store)
      if (!configured || standing === undefined) continue
      attention.push(...standing.attention)
      standings.push(standing)
    }
    return standings
  })
}

async function readStore(
  database: ReadOnlyDatabase,
  store: string,
  due: readonly DueLine[],
  configured: boolean,
): Promise<StoreStatus> {
  const all: StreamStatus[] = []
  for (const stream of streams) all.push(await readStream(database, store, stream))
  const mine = due.filter(line => line.store === store)
  const zoneWarnings = await warnAboutZone(database, store)
  const skewMs = (await keptSkewMs(database.behaviours, store)) ?? 0
  const pace = keptPace(await database.behaviours.of(store))
  return {
    store,
    configured,
    clockSkewMs: skewMs,
    pace: pace === undefined ? null : { perSecond: Number(pace.value), foundAt: pace.seenAt },
    isZoneWrong: zoneWarnings.length > 0,
    timeZone: await database.zoneOfRows(store),
    attention: configured
      ? [...warnAboutClock(skewMs), ...zoneWarnings, ...attentionOf(all, mine)]
      : [`is not in the configuration any more; its ${countOf(rowsOf(all), 'row')} are still here`],
    streams: all,
  }
}

const warnAboutClock = (skewMs: number): string[] =>
  Math.abs(skewMs) > NOTABLE_SKEW_MS
    ? [`when it was read last, the clock of this machine was ${describeSkew(skewMs)}; set it right`]
    : []

/** Nothing is read or given out while the zones differ. */
const warnAboutZone = (database: ReadOnlyDatabase, store: string): Promise<string[]> =>
  database.timeZone(store).then(
    () => [],
    (error: unknown) =>
      error instanceof TillageError && error.code === 'STORE_ZONE' ? [error.message] : [],
  )

async function readStream(
  database: ReadOnlyDatabase,
  store: string,
  declared: Stream,
): Promise<StreamStatus> {
  const stream = declared.name
  const rows = await database.ledger.windows(store, stream)
  const { span, gaps } =
    declared.windowing === 'full-refresh' ? { span: undefined, gaps: [] } : provenParts(rows)
  const reached = watermarkOf(rows)
  const lastReadAt = await database.ledger.lastReadAt(store, stream)
  const findings = await database.findings.of(store, stream)
  const readings = { lastReadAt, rows }
  const standing = findings.filter(finding => isStanding(finding, readings)).length
  const offered =
    rows.some(({ status }) => status === 'proven') ||
    !findings.some(finding => finding.code === NOT_OFFERED && isStanding(finding, readings))
  return {
    store,
    stream,
    offered,
    rows: await database.rows.count(store, stream),
    provenFrom: span === undefined ? null : toIso(span.startMs),
    provenUntil: span === undefined ? null : toIso(span.endMs),
    gaps: gaps.map(({ startMs, endMs }) => ({ start: toIso(startMs), end: toIso(endMs) })),
    watermark: reached === undefined ? null : toIso(reached),
    unproven: offered ? rows.filter(row => row.status === 'unproven').length : 0,
    deadLetters: await database.deadLetters.count(store, declared, {}),
    findings: standing,
    findingsOver: findings.length - standing,
    lastReadAt: lastReadAt ?? null,
  }
}

function exitStatusOf({ stores, due, worker }: Status): number {
  const current = stores.filter(({ configured }) => configured)
  const isOpen = current
    .flatMap(store => store.streams)
    .some(({ unproven, deadLetters }) => unproven > 0 || deadLetters > 0)
  const isClockWrong = current.some(
    ({ clockSkewMs, isZoneWrong }) => isZoneWrong || Math.abs(clockSkewMs) > NOTABLE_SKEW_MS,
  )
  return isOpen || isClockWrong || isStranded(worker) || due.some(({ overdue }) => overdue) ? 3 : 0
}

export const command = declareCommand({
  options: [option('--all', 'every stream of every store')],
  notes:
    'With --store, every stream of that store, ' +
    'also of one that left tillage.yaml while its data is here.',
  run: status,
})
