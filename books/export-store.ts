import { businessDays } from '../calendar/business-day.ts'
import { daysAsInterval } from '../calendar/clock.ts'
import { addDays, toIso } from '../calendar/days.ts'
import { merge } from '../calendar/interval.ts'
import type { Interval } from '../calendar/interval.ts'
import type { Config } from '../config.ts'
import { coverage } from '../connectors/destination/coverage.ts'
import type { LedgerRow } from '../connectors/destination/coverage.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import type { ReadOnlyDatabase } from '../connectors/sqlite/read-only.ts'
import type { Stream } from '../connectors/stream.ts'
import { TillageError } from '../errors.ts'
import { judgeEdits } from '../exports/books/edits.ts'
import type { Edits } from '../exports/books/edits.ts'
import { memberSecret } from '../exports/books/member-secret.ts'
import { datasetsOf } from '../exports/datasets.ts'
import { exportFiles } from '../exports/export-files.ts'
import type { JournalOrder, JournalOutcome } from '../exports/journal/prepare-journal.ts'
import type { FileFormat } from '../exports/manifest.ts'
import type { ExportedFile } from '../exports/request.ts'
import { VERSION } from '../version.ts'
import { periodClosedThrough } from './periods.ts'

/** What `export` has written for one store. */
export interface StoreExport {
  store: string
  files: ExportedFile[]
  manifest: string
  revision: number
  /** Of booked transactions: until when their edits are known. */
  edits: (Edits & { stream: string }) | undefined
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
  config: Config,
  database: ReadOnlyDatabase,
  request: StoreExportRequest,
  progress: (line: string) => void,
  signal: AbortSignal,
): Promise<StoreExport> {
  const { store, days, datasets } = request
  const closedThrough = await periodClosedThrough(config, database.db, store)
  const timeZone = await database.timeZone(store)
  const clock = {
    timeZone,
    dayStartsAt: config.stores.find(({ id }) => id === store)?.dayStartsAt ?? '00:00',
  }
  const parents = streamsOf(datasets)
  const ledgers = new Map<string, LedgerRow[]>()
  for (const { name } of parents) ledgers.set(name, await database.ledger.windows(store, name))
  const booked = parents.find(({ bookedAt }) => bookedAt !== undefined)
  const asked = daysAsInterval(days, timeZone)
  const businessRange = businessDays(days, clock)
  const askedOf = (stream: Stream): Interval => (stream === booked ? businessRange : asked)
  if (request.journal !== undefined) refuseUnfinished(store, days.from, businessRange)
  const range = clipToProven(parents.length === 1 && booked !== undefined ? businessRange : asked, [
    ...ledgers.values(),
  ])
  const readOf = (stream: Stream): Interval =>
    clipToProven(askedOf(stream), [ledgers.get(stream.name)!])
  for (const stream of parents)
    refuseUnproven(store, stream.name, ledgers.get(stream.name)!, readOf(stream), days, asked.endMs)
  const edits =
    booked === undefined
      ? undefined
      : judgeEdits(
          ledgers.get(booked.name)!.filter(({ status }) => status === 'proven'),
          businessRange,
          booked.lookbackDays,
        )
  const apiKeys = config.stores.flatMap(({ partnerKey, developerKey }) => [
    partnerKey,
    developerKey,
  ])
  const result = await exportFiles({
    ...request,
    databasePath: config.database,
    streams,
    range,
    ...(edits === undefined
      ? {}
      : {
          books: {
            clock,
            range: businessRange,
            read: readOf(booked!),
            editsKnownUntil: toIso(edits.knownUntilMs),
            memberSecret: memberSecret(config.database, apiKeys),
            ...(closedThrough === undefined ? {} : { periodClosedThrough: closedThrough }),
          },
        }),
    proof: parents.map(stream => ({
      stream: stream.name,
      proven: provenWithin(ledgers.get(stream.name)!, readOf(stream)),
    })),
    tool: `tillage ${VERSION}`,
    progress: ({ phase, dataset, format }) =>
      progress(
        `exporting ${store}: ${[phase, dataset, format].filter(word => word !== undefined).join(' ')}`,
      ),
    signal,
  })
  return {
    store,
    files: result.files,
    manifest: result.manifest,
    revision: result.revision,
    ...(result.journal === undefined ? {} : { journal: result.journal }),
    edits: edits === undefined ? undefined : { ...edits, stream: booked!.name },
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
  merge(rows.filter(row => row.status === 'proven'))
    .map(part => ({
      startMs: Math.max(part.startMs, range.startMs),
      endMs: Math.min(part.endMs, range.endMs),
    }))
    .filter(part => part.startMs < part.endMs)
    .map(part => ({ start: toIso(part.startMs), end: toIso(part.endMs) }))

/** Today is not over: a range that reaches into the future ends where the last reading ended. */
function clipToProven(asked: Interval, ledgers: readonly (readonly LedgerRow[])[]): Interval {
  if (asked.endMs <= Date.now()) return asked
  const ends = ledgers.map(rows =>
    Math.max(
      ...rows.filter(row => row.status === 'proven').map(row => row.endMs),
      asked.startMs + 1,
    ),
  )
  return { startMs: asked.startMs, endMs: Math.min(asked.endMs, ...ends) }
}

/** What is posted stands in the books of others: not before the day is over. */
function refuseUnfinished(store: string, day: string, { endMs }: Interval): void {
  if (endMs <= Date.now()) return
  throw new TillageError(
    'NOT_PROVEN',
    `${store} is still selling on ${day}: that business day ends at ${toIso(endMs)}; nothing was written for ${store}`,
    {
      remedy: `Book it when it is over. What was read of it so far: tillage export transactions --from ${day} --to ${addDays(day, 1)}`,
    },
  )
}

function refuseUnproven(
  store: string,
  stream: string,
  rows: readonly LedgerRow[],
  range: Interval,
  days: { from: string; to: string },
  calendarEndMs: number,
): void {
  const holes = coverage(rows, range).filter(part => part.status !== 'proven')
  if (holes.length === 0) return
  const first = holes[0]!
  throw new TillageError(
    'NOT_PROVEN',
    `${store} ${stream} is not proven from ${days.from} to ${days.to}: ${first.status} from ${toIso(first.startMs)} to ${toIso(first.endMs)}${holes.length > 1 ? ` and ${holes.length - 1} more` : ''}; nothing was written for ${store}`,
    {
      // A business day that starts at two ends on the next calendar day.
      remedy: `Make it proven: tillage sync ${stream} --store ${store} --from ${days.from} --to ${range.endMs > calendarEndMs ? addDays(days.to, 1) : days.to}`,
    },
  )
}
