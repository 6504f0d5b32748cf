import type { Config } from '../config.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import { FILTERS_BY_ANOTHER_TIME } from '../connectors/partner/read-window.ts'
import { coverage, type LedgerRow } from '../connectors/sqlite/ledger.ts'
import { merge, toIso, type Interval } from '../connectors/window.ts'
import { TillageError, UsageError } from '../errors.ts'
import { datasetsOf } from '../exports/dataset.ts'
import { exportFiles } from '../exports/export-files.ts'
import type { FileFormat } from '../exports/manifest.ts'
import type { ExportedFile } from '../exports/request.ts'
import { chooseStores, requireDays, type DayRange } from './choices.ts'
import { daysAsInterval, openLedger, type OpenLedger } from './open-ledger.ts'
import { formatTable, type Terminal } from './terminal.ts'
import { VERSION } from './version.ts'

export interface ExportOptions extends DayRange {
  format: string
  store?: string
  out?: string
  people?: boolean
}

/** What `export` has written for one store. */
export interface StoreExport {
  store: string
  files: ExportedFile[]
  manifest: string
  revision: number
}

const FORMATS: readonly FileFormat[] = ['parquet', 'csv', 'jsonl']

/** `tillage export DATASET...`: files and a manifest for each store. 3 if a store could not be exported because its range is not proven. */
export async function exportCommand(config: Config, names: readonly string[], options: ExportOptions, terminal: Terminal, signal: AbortSignal): Promise<number> {
  const days = requireDays(options)
  const formats = chooseFormats(options.format)
  const datasets = chooseDatasets(names)
  const ledger = await openLedger(config)
  const done: StoreExport[] = []
  const refused: TillageError[] = []
  const doubtful: string[] = []
  try {
    for (const store of chooseStores(config, options.store)) {
      try {
        doubtful.push(...(await describeDoubts(ledger, store, datasets)))
        done.push(await exportStore(config, ledger, { store, days, datasets, formats, out: options.out ?? config.exports, includePeople: options.people === true }, terminal.progress, signal))
      } catch (error) {
        if (!(error instanceof TillageError) || error.code !== 'NOT_PROVEN') throw error
        refused.push(error)
      }
    }
  } finally {
    await ledger.close()
  }
  if (terminal.json) {
    const manifests = done.map(({ manifest }) => manifest)
    terminal.print(JSON.stringify({ files: done.flatMap((one) => one.files.map(({ path, format, rows, sha256 }) => ({ path, format, rows, sha256 }))), manifest: manifests[0] ?? null, manifests }))
  } else if (done.length > 0) terminal.print(describeExports(done))
  for (const error of refused) terminal.log(`${error.code}: ${error.message}\n${error.remedy ?? ''}`)
  for (const store of doubtful) terminal.log(store)
  return refused.length > 0 || doubtful.length > 0 ? 3 : 0
}

/** Streams whose API filters by another time than the one that exports pick rows by: proven, and yet not all that was modified in the range. */
async function describeDoubts(ledger: OpenLedger, store: string, datasets: readonly string[]): Promise<string[]> {
  const parents = new Set(datasetsOf(streams).filter(({ name }) => datasets.includes(name)).map(({ stream }) => stream))
  const found = await ledger.db.selectFrom('findings').select('stream').where('store_id', '=', store).where('code', '=', FILTERS_BY_ANOTHER_TIME).execute()
  return found
    .filter(({ stream }) => parents.has(stream))
    .map(({ stream }) => `${store} ${stream}: the API picks records by another time than modified (${FILTERS_BY_ANOTHER_TIME}), so records that were modified in this range may be missing from these files`)
}

export interface StoreExportRequest {
  store: string
  days: { from: string; to: string }
  datasets: readonly string[]
  formats: readonly FileFormat[]
  out: string
  includePeople: boolean
}

/** Exports read only what is proven, from one snapshot of the database. */
export async function exportStore(config: Config, ledger: OpenLedger, request: StoreExportRequest, progress: (line: string) => void, signal: AbortSignal): Promise<StoreExport> {
  const { store, days, datasets } = request
  const asked = daysAsInterval(days, await ledger.timeZone(store))
  const parents = [...new Set(datasetsOf(streams).filter(({ name }) => datasets.includes(name)).map(({ stream }) => stream))]
  const ledgers = new Map<string, LedgerRow[]>()
  for (const stream of parents) ledgers.set(stream, await ledger.rows(store, stream))
  const range = clipToProven(asked, [...ledgers.values()])
  for (const [stream, rows] of ledgers) refuseUnproven(store, stream, rows, range, days)
  const result = await exportFiles({
    ...request,
    databasePath: config.database,
    streams,
    range,
    proof: parents.map((stream) => ({ stream, proven: merge(ledgers.get(stream)!.filter((row) => row.status === 'proven')).filter((part) => part.startMs < range.endMs && part.endMs > range.startMs).map((part) => ({ start: toIso(Math.max(part.startMs, range.startMs)), end: toIso(Math.min(part.endMs, range.endMs)) })) })),
    tool: `tillage ${VERSION}`,
    progress: ({ phase, dataset, format }) => progress(`exporting ${store}: ${[phase, dataset, format].filter((word) => word !== undefined).join(' ')}`),
    signal,
  })
  return { store, files: result.files, manifest: result.manifest, revision: result.revision }
}

/** Today is not over: a range that reaches into the future ends where the last reading ended. */
function clipToProven(asked: Interval, ledgers: readonly (readonly LedgerRow[])[]): Interval {
  if (asked.endMs <= Date.now()) return asked
  const ends = ledgers.map((rows) => Math.max(...rows.filter((row) => row.status === 'proven').map((row) => row.endMs), asked.startMs + 1))
  return { startMs: asked.startMs, endMs: Math.min(asked.endMs, ...ends) }
}

function refuseUnproven(store: string, stream: string, rows: readonly LedgerRow[], range: Interval, days: { from: string; to: string }): void {
  const holes = coverage(rows, range).filter((part) => part.status !== 'proven')
  if (holes.length === 0) return
  const first = holes[0]!
  throw new TillageError('NOT_PROVEN', `${store} ${stream} is not proven from ${days.from} to ${days.to}: ${first.status} from ${toIso(first.startMs)} to ${toIso(first.endMs)}${holes.length > 1 ? ` and ${holes.length - 1} more` : ''}; nothing was written for ${store}`, {
    remedy: `Make it proven: tillage sync ${stream} --store ${store} --from ${days.from} --to ${days.to}`,
  })
}

export function chooseFormats(text: string): FileFormat[] {
  const asked = text.split(',').map((word) => word.trim()).filter((word) => word !== '')
  for (const word of asked) if (!FORMATS.includes(word as FileFormat)) throw new UsageError(`there is no format ${JSON.stringify(word)}`, `Formats are: ${FORMATS.join(', ')}.`)
  if (asked.length === 0) throw new UsageError('no format was named', `Formats are: ${FORMATS.join(', ')}.`)
  return FORMATS.filter((format) => asked.includes(format))
}

export function chooseDatasets(names: readonly string[]): string[] {
  const known = datasetsOf(streams).map(({ name }) => name)
  for (const name of names) if (!known.includes(name)) throw new UsageError(`there is no dataset ${JSON.stringify(name)}`, `Datasets are: ${known.join(', ')}.`)
  return [...names]
}

export function describeExports(done: readonly StoreExport[]): string {
  const rows = done.flatMap(({ store, files }) => files.map((file) => [store, file.dataset, file.format, file.rows, file.path]))
  return `${formatTable(['store', 'dataset', 'format', 'rows', 'file'], rows)}\n\n${done.map(({ manifest }) => `  manifest: ${manifest}`).join('\n')}`
}
