import type { Config } from '../config.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import { FILTERS_BY_ANOTHER_TIME } from '../connectors/partner/read-window.ts'
import { addDays, toIso } from '../connectors/window.ts'
import { TillageError, UsageError } from '../errors.ts'
import { datasetsOf } from '../exports/dataset.ts'
import { FILE_FORMATS, type FileFormat } from '../exports/manifest.ts'
import { chooseStores, requireDays, type DayRange } from './choices.ts'
import { exportStore, type StoreExport } from './export-store.ts'
import { openLedger, type OpenLedger } from './open-ledger.ts'
import { formatTable, type Terminal } from './terminal.ts'

export interface ExportOptions extends DayRange {
  format: string
  store?: string
  out?: string
  people?: boolean
}

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
  for (const one of done) {
    const note = describeEdits(one, days)
    if (note !== undefined) terminal.log(note)
    if (one.edits?.state === 'hole') doubtful.push(`${one.store} ${one.edits.stream}: not all that was modified after ${toIso(one.edits.knownUntilMs)} is proven`)
  }
  for (const line of doubtful) terminal.log(line)
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

/** Days that are so recent that edits of their transactions are still to come. */
function describeEdits({ store, edits }: StoreExport, days: { to: string }): string | undefined {
  if (edits === undefined || edits.state === 'settled') return undefined
  const known = `${store} ${edits.stream}: edits are known until ${toIso(edits.knownUntilMs)}`
  return edits.state === 'open'
    ? `${known}; what is edited later makes a revision when you export again`
    : `${known}, and only in part after that; make it proven: tillage sync ${edits.stream} --store ${store} --from ${days.to} --to ${addDays(days.to, 8)}`
}

export function chooseFormats(text: string): FileFormat[] {
  const asked = text.split(',').map((word) => word.trim()).filter((word) => word !== '')
  for (const word of asked) if (!FILE_FORMATS.includes(word as FileFormat)) throw new UsageError(`there is no format ${JSON.stringify(word)}`, `Formats are: ${FILE_FORMATS.join(', ')}.`)
  if (asked.length === 0) throw new UsageError('no format was named', `Formats are: ${FILE_FORMATS.join(', ')}.`)
  return FILE_FORMATS.filter((format) => asked.includes(format))
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
