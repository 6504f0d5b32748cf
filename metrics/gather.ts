import { fromIso } from '../calendar/days.ts'
import type { Destination } from '../connectors/destination/destination.ts'
import { reachedMs, standingOf } from '../connectors/destination/ledger.ts'
import type { ReadingTotal } from '../connectors/destination/totals.ts'
import type { Governor } from '../connectors/partner/governor.ts'
import type { Stream } from '../connectors/stream.ts'
import { leftOnDisk } from '../disk.ts'
import { readDue } from '../schedules/read-due.ts'
import { VERSION } from '../version.ts'
import type { Series } from './series.ts'

/** Where the figures come from. */
export interface Gathered {
  destination: Destination
  streams: readonly Stream[]
  /** Of tillage.yaml. */
  stores: readonly { id: string }[]
  store(id: string): { governor: Pick<Governor, 'allowance'> }
  /** The folder of the files, which may not be there yet. */
  exports: string
}

const OUTCOMES = ['proven', 'unproven'] as const
const VERDICTS = ['inserted', 'updated', 'unchanged', 'duplicate', 'deadLettered'] as const
const VERDICT_WORDS: Readonly<Record<(typeof VERDICTS)[number], string>> = {
  inserted: 'new',
  updated: 'changed',
  unchanged: 'unchanged',
  duplicate: 'duplicate',
  deadLettered: 'rejected',
}

/**
 * Fills the series from the database, so that they tell what every process did, and not this one
 * alone. Call the answer before each page is served.
 */
export function createGatherer(place: Gathered, series: Series): (nowMs: number) => Promise<void> {
  let newest = 0
  series.buildInfo.set({ version: VERSION }, 1)
  return async nowMs => {
    newest = await countReadings(place, series, newest)
    await countNights(place, series)
    await judgeStreams(place, series, nowMs)
    await countOpen(place, series)
    await readDeadlines(place, series, nowMs)
    await readNow(place, series, nowMs)
  }
}

/** Only what came since the last page: a year of readings is not added up each time. */
async function countReadings(
  { destination }: Gathered,
  series: Series,
  after: number,
): Promise<number> {
  const { totals, newest } = await destination.totals.readings(after)
  for (const total of totals) {
    countWindows(series, total)
    const { store, stream } = total
    for (const count of VERDICTS)
      series.records.inc({ store, stream, verdict: VERDICT_WORDS[count] }, total[count])
  }
  return newest
}

function countWindows(series: Series, { store, stream, status, readings }: ReadingTotal): void {
  const outcome = OUTCOMES.find(one => one === status)
  if (outcome !== undefined) series.windows.inc({ store, stream, outcome }, readings)
}

/** Runs are kept for as long as the retention says, and the others are no longer counted. */
async function countNights({ destination, stores }: Gathered, series: Series): Promise<void> {
  series.nights.reset()
  for (const { id: store } of stores)
    for (const outcome of ['done', 'failed']) series.nights.inc({ store, outcome }, 0)
  for (const { store, outcome, nights } of await destination.totals.nights())
    series.nights.inc({ store, outcome }, nights)
}

async function judgeStreams(
  { destination, stores, streams }: Gathered,
  series: Series,
  nowMs: number,
): Promise<void> {
  for (const { id: store } of stores) {
    const standings = await destination.ledger.standings(store)
    for (const { name: stream } of streams) {
      const standing = standingOf(standings, stream)
      const reached = reachedMs(standing)
      const { unproven } = standing
      if (reached !== undefined)
        series.watermarkLag.set({ store, stream }, Math.max(0, nowMs - reached) / 1000)
      if (reached !== undefined || unproven.length > 0)
        series.unproven.set({ store, stream }, unproven.length)
    }
  }
}

async function countOpen({ destination }: Gathered, series: Series): Promise<void> {
  series.deadLetters.reset()
  for (const { store, stream, letters } of await destination.totals.deadLetters())
    series.deadLetters.set({ store, stream }, letters)
  for (const kind of ['push', 'reconcile']) series.parked.set({ kind }, 0)
  for (const { kind, operations } of await destination.totals.operations('unknown'))
    series.parked.set({ kind }, operations)
}

async function readDeadlines(
  { destination }: Gathered,
  series: Series,
  nowMs: number,
): Promise<void> {
  series.secondsToDeadline.reset()
  const due = await readDue(destination, { nowMs, workerIsUp: true })
  const open = due.filter(
    ({ schedule, standing }) =>
      schedule.startsWith('nightly/') && standing !== 'done' && standing !== 'done late',
  )
  for (const [store, nights] of Map.groupBy(open, night => night.store)) {
    const deadlines = nights.flatMap(({ deadlineAt }) =>
      deadlineAt === null ? [] : fromIso(deadlineAt),
    )
    if (deadlines.length > 0)
      series.secondsToDeadline.set({ store }, (Math.min(...deadlines) - nowMs) / 1000)
  }
}

async function readNow(
  { destination, stores, store, exports }: Gathered,
  series: Series,
  nowMs: number,
): Promise<void> {
  for (const { id } of stores)
    series.requestsPerSecond.set({ store: id }, store(id).governor.allowance.requestsPerSecond)
  for (const one of await destination.hints.freshness()) {
    const waitingMs = one.waitingSinceMs === undefined ? 0 : nowMs - one.waitingSinceMs
    series.hintSecondsBehind.set({ store: one.store, stream: one.stream }, waitingMs / 1000)
  }
  series.databaseBytes.set(await destination.totals.bytes())
  await measureDisks({ destination, exports }, series)
}

/** With a server, of several machines each would tell of a disk of its own. */
async function measureDisks(
  { destination, exports }: Pick<Gathered, 'destination' | 'exports'>,
  series: Series,
): Promise<void> {
  // Else a figure would stand there as 0, which is a full disk.
  series.freeBytes.reset()
  const freeBytes = await destination.totals.freeBytes()
  if (freeBytes === undefined) return
  series.freeBytes.set(freeBytes)
  const ofExports = leftOnDisk(exports)
  if (ofExports !== undefined) series.freeBytes.set({ holds: 'exports' }, ofExports)
}
