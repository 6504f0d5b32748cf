import { resolve } from 'node:path'
import { businessDays, runningDayStart } from '../calendar/business-day.ts'
import type { StoreClock } from '../calendar/business-day.ts'
import { daysAsInterval, localMinute, localSpan } from '../calendar/clock.ts'
import { addDays, merge, toIso } from '../calendar/days.ts'
import type { Interval } from '../calendar/days.ts'
import { coverage } from '../connectors/destination/coverage.ts'
import type { LedgerRow } from '../connectors/destination/coverage.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import type { Stream } from '../connectors/stream.ts'
import { TillageError } from '../errors.ts'
import { datasetsOf } from '../exports/datasets.ts'
import { exportFiles } from '../exports/export-files.ts'
import type { FileFormat } from '../exports/formats/formats.ts'
import type { JournalOrder } from '../exports/journal/journal-order.ts'
import type { JournalOutcome } from '../exports/journal/journal-outcome.ts'
import type { BeyondType, ExportedFile } from '../exports/request.ts'
import type { BooksOrder } from '../exports/sales/books-order.ts'
import { judgeEdits } from '../exports/sales/edits.ts'
import type { Edits } from '../exports/sales/edits.ts'
import { currencyOf } from '../money/currency.ts'
import { addressOf } from '../objects/place.ts'
import { VERSION } from '../version.ts'
import type { BooksPlace, Watcher } from './books-place.ts'
import { memberSecretOf } from './member-secret-of.ts'
import { periodClosedThrough } from './periods.ts'
import { storeClockOf } from './store-clock.ts'

/** What `export` has written for one store. */
export interface StoreExport {
  store: string
  files: ExportedFile[]
  manifest: string
  revision: number
  /** Of the store's amounts. */
  currency: string
  /** Decimals that Parquet's declared types do not hold, and that stand exactly beside them. */
  beyondType: BeyondType[]
  /** Of booked transactions: until when their edits are known. */
  edits: (Edits & { stream: string; timeZone: string }) | undefined
  journal?: JournalOutcome
}

export interface StoreExportRequest {
  store: string
  days: { from: string; to: string }
  datasets: readonly string[]
  formats: readonly FileFormat[]
  out: string
  includePeople: boolean
  /** Leaves no trace. */
  dryRun?: boolean
  /** Makes the day's journal too. */
  journal?: JournalOrder
}

/** Exports read only what is proven, from one snapshot of the database. */
export async function exportStore(
  place: BooksPlace,
  request: StoreExportRequest,
  { progress, signal }: Watcher,
): Promise<StoreExport> {
  const { store } = request
  const asked = await askFor(place, request)
  const { edits, booked } = asked
  const currency = currencyOf(place.config, store)
  // What somebody wants in another folder stays on this machine.
  const objects = resolve(request.out) === place.config.exports ? place.config.objects : undefined
  const result = await exportFiles({
    ...request,
    database: place.config.database,
    localFiles: place.config.localFiles,
    bom: place.config.csv.bom,
    timeZone: asked.clock.timeZone,
    currency,
    mode: place.config.exportsMode,
    objects,
    streams,
    range: asked.range,
    ...(edits === undefined ? {} : { books: await booksOrder(place, store, asked, edits) }),
    proof: asked.parents.map(stream => ({
      stream: stream.name,
      proven: provenWithin(asked.ledgerOf(stream), asked.readOf(stream)),
    })),
    tool: `tillage ${VERSION}`,
    progress: ({ phase, dataset }) =>
      progress(`exporting ${store}: ${[phase, dataset ?? ''].join(' ').trim()}`),
    signal,
  })
  return {
    store,
    files: result.files.map(file => ({ ...file, path: addressOf(objects, file.path) })),
    manifest: addressOf(objects, result.manifest),
    revision: result.revision,
    currency,
    beyondType: result.beyondType,
    ...(result.journal === undefined ? {} : { journal: result.journal }),
    edits: edits && { ...edits, stream: booked!.name, timeZone: asked.clock.timeZone },
  }
}

/** What of the order is there: its streams, what is proven of them, and the days it is about. */
interface Asked {
  clock: StoreClock
  parents: readonly Stream[]
  booked: Stream | undefined
  ledgerOf: (stream: Stream) => readonly LedgerRow[]
  /** What is read of a stream: the days, as far as they lie in the past. */
  readOf: (stream: Stream) => Interval
  range: Interval
  businessRange: Interval
  edits: Edits | undefined
}

/** Fails with NOT_PROVEN where something of the order is not. */
async function askFor(
  { config, database }: BooksPlace,
  { store, days, datasets, journal }: StoreExportRequest,
): Promise<Asked> {
  const clock = storeClockOf(config, store, await database.timeZone(store))
  const parents = streamsOf(datasets)
  const ledgers = new Map<string, LedgerRow[]>()
  for (const { name } of parents) ledgers.set(name, await database.ledger.windows(store, name))
  const ledgerOf = ({ name }: Stream): LedgerRow[] => ledgers.get(name)!
  const booked = parents.find(({ bookedAt }) => bookedAt !== undefined)
  const calendarRange = daysAsInterval(days, clock.timeZone)
  const businessRange = businessDays(days, clock)
  const whole = parents.length === 1 && booked !== undefined ? businessRange : calendarRange
  refuseNotBegun(store, days.from, whole, clock.timeZone)
  if (journal !== undefined) refuseUnfinished(store, days.from, businessRange, clock.timeZone)
  const readOf = (stream: Stream): Interval =>
    stream === booked
      ? asFarAsRead(businessRange, clock, ledgerOf(stream))
      : asFarAsRead(calendarRange, { ...clock, dayStartsAt: '00:00' }, ledgerOf(stream))
  for (const stream of parents)
    refuseUnproven(
      { store, days, stream, calendarEndMs: calendarRange.endMs, timeZone: clock.timeZone },
      ledgerOf(stream),
      readOf(stream),
    )
  return {
    clock,
    parents,
    booked,
    ledgerOf,
    readOf,
    range: {
      ...whole,
      endMs: Math.min(whole.endMs, ...parents.map(stream => readOf(stream).endMs)),
    },
    businessRange,
    edits: booked && judgeEdits(provenOf(ledgerOf(booked)), businessRange, booked.lookbackDays),
  }
}

const provenOf = (rows: readonly LedgerRow[]): LedgerRow[] =>
  rows.filter(({ status }) => status === 'proven')

async function booksOrder(
  { config, database }: BooksPlace,
  store: string,
  { clock, businessRange, booked, readOf }: Asked,
  { knownUntilMs }: Edits,
): Promise<BooksOrder> {
  const closedThrough = await periodClosedThrough(config, database.givenOut, store)
  return {
    clock,
    range: businessRange,
    read: readOf(booked!),
    editsKnownUntil: toIso(knownUntilMs),
    memberSecret: await memberSecretOf(config),
    ...(closedThrough === undefined ? {} : { periodClosedThrough: closedThrough }),
  }
}

/** The streams that datasets are made of. */
export const streamsOf = (datasets: readonly string[]): Stream[] =>
  streams.filter(({ name }) =>
    datasetsOf(streams).some(dataset => dataset.stream === name && datasets.includes(dataset.name)),
  )

/** What of a range is proven, as evidence for the manifest. */
const provenWithin = (
  rows: readonly LedgerRow[],
  range: Interval,
): { start: string; end: string }[] =>
  merge(provenOf(rows))
    .map(part => ({
      startMs: Math.max(part.startMs, range.startMs),
      endMs: Math.min(part.endMs, range.endMs),
    }))
    .filter(part => part.startMs < part.endMs)
    .map(part => ({ start: toIso(part.startMs), end: toIso(part.endMs) }))

/**
 * The day that runs is not over: of it a range has what was read so far. The days before it are
 * there to their end, or the range is not proven.
 */
function asFarAsRead(asked: Interval, clock: StoreClock, ledger: readonly LedgerRow[]): Interval {
  const nowMs = Date.now()
  if (asked.endMs <= nowMs) return asked
  const provenMs = provenOf(ledger).map(row => row.endMs)
  const readMs = Math.max(runningDayStart(nowMs, clock), ...provenMs)
  const endMs = readMs > asked.startMs ? readMs : nowMs
  return { startMs: asked.startMs, endMs: Math.min(asked.endMs, endMs) }
}

function refuseNotBegun(store: string, day: string, range: Interval, timeZone: string): void {
  if (range.startMs <= Date.now()) return
  throw new TillageError('NOT_PROVEN', `${day} has not begun for ${store}; nothing was written`, {
    remedy: `It begins at ${localMinute(range.startMs, timeZone)}. Ask for it when it is over.`,
  })
}

/** What is posted stands in the books of others: not before the day is over. */
function refuseUnfinished(store: string, day: string, range: Interval, timeZone: string): void {
  const { endMs } = range
  if (endMs <= Date.now()) return
  throw new TillageError(
    'NOT_PROVEN',
    `${store} is still selling on ${day}: ` +
      `that business day ends at ${localMinute(endMs, timeZone)}; ` +
      `nothing was written for ${store}`,
    {
      remedy:
        'Book it when it is over. What was read of it so far: ' +
        `tillage export transactions --store ${store} --from ${day} --to ${addDays(day, 1)}`,
    },
  )
}

/** What is asked of one stream, for the error where it is not proven. */
interface AskedStream {
  store: string
  days: { from: string; to: string }
  stream: Stream
  calendarEndMs: number
  timeZone: string
}

function refuseUnproven(
  { store, days, stream: { name }, calendarEndMs, timeZone }: AskedStream,
  rows: readonly LedgerRow[],
  range: Interval,
): void {
  const holes = coverage(rows, range).filter(part => part.status !== 'proven')
  if (holes.length === 0) return
  const first = holes[0]!
  const hole = `${first.status} from ${localSpan(first, timeZone)}`
  const more = holes.length > 1 ? ` and ${holes.length - 1} more` : ''
  // A business day that starts at two ends on the next calendar day.
  const until = range.endMs > calendarEndMs ? addDays(days.to, 1) : days.to
  throw new TillageError(
    'NOT_PROVEN',
    `${store} ${name} is not proven from ${days.from} to ${days.to}: ${hole}${more}; ` +
      `nothing was written for ${store}`,
    {
      remedy:
        'Make it proven: ' +
        `tillage sync ${name} --store ${store} --from ${days.from} --to ${until}`,
    },
  )
}
