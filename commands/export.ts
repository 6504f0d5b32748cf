import { exportStore } from '../books/export-store.ts'
import type { StoreExport, StoreExportRequest } from '../books/export-store.ts'
import type { Config } from '../config.ts'
import { openReadOnly } from '../connectors/database.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import { datasetsOf, withRawColumns } from '../exports/datasets.ts'
import { FILE_FORMATS } from '../exports/formats/formats.ts'
import { describeBeyondType } from '../exports/request.ts'
import { chooseNames } from '../names.ts'
import { chooseFormats, chooseStores, requireDays } from './arguments/choices.ts'
import type { DayRange } from './arguments/choices.ts'
import {
  eachStore,
  exitStatusOfStores,
  logRefusals,
  refusalsAsJson,
} from './arguments/each-store.ts'
import { declareCommand, days as dayOptions, option } from './command.ts'
import type { Context } from './command.ts'
import { requireDatabase } from './database/require-database.ts'
import {
  describeEdits,
  warnAboutEdits,
  warnAboutFailedAgain,
  warnAboutFilters,
  warnAboutDeadLetters,
} from './export/warnings.ts'
import { pathFromHere } from './terminal/started-as.ts'
import { formatTable } from './terminal/table.ts'

export interface ExportOptions extends DayRange {
  format: string
  store?: string
  out?: string
  people?: boolean
  raw?: boolean
}

/**
 * `tillage export DATASET...`: files and a manifest for each store. One that cannot be exported
 * does not keep the others from it; 3 if something is not proven or a dead letter.
 */
export async function exportDatasets(
  { config, terminal, signal }: Context,
  options: ExportOptions,
  names: readonly string[],
): Promise<number> {
  const request = chooseFiles(config, options, names)
  const { datasets, days } = request
  const stores = chooseStores(config, options.store)
  await requireDatabase(config)
  await using database = await openReadOnly(config, streams)
  const watcher = { progress: terminal.progress, signal }
  const done: StoreExport[] = []
  const warnings: string[] = []
  const refused = await eachStore(stores, async store => {
    warnings.push(
      ...(await warnAboutFilters(database, store, datasets)),
      ...(await warnAboutDeadLetters({ config, database }, store, datasets, days)),
      ...(await warnAboutFailedAgain({ config, database }, store, datasets, days)),
    )
    done.push(await exportStore({ config, database }, { store, ...request }, watcher))
  })
  if (terminal.json) terminal.print(asJson(done, refused))
  else if (done.length > 0) terminal.print(describeExports(done))
  logRefusals(refused, terminal)
  for (const one of done) {
    for (const note of notesOn(one, days)) terminal.log(note)
    warnings.push(...warnAboutEdits(one))
  }
  for (const line of warnings) terminal.log(line)
  return exitStatusOfStores(refused, warnings.length > 0)
}

function chooseFiles(
  config: Config,
  options: ExportOptions,
  names: readonly string[],
): Omit<StoreExportRequest, 'store'> {
  const all = datasetsOf(streams)
  const chosen = chooseNames(
    'dataset',
    names,
    all.map(({ name }) => name),
  )
  return {
    days: requireDays(options),
    formats: chooseFormats('format', options.format, FILE_FORMATS),
    datasets: options.raw === true ? withRawColumns(all, chosen) : chosen,
    out: options.out ?? config.exports,
    includePeople: options.people === true,
  }
}

function asJson(
  done: readonly StoreExport[],
  refused: Parameters<typeof refusalsAsJson>[0],
): string {
  const manifests = done.map(({ manifest }) => manifest)
  return JSON.stringify({
    files: done.flatMap(one =>
      one.files.map(({ dataset, path, format, rows, sha256 }) => ({
        store: one.store,
        dataset,
        path,
        format,
        rows,
        sha256,
      })),
    ),
    manifest: manifests[0] ?? null,
    manifests,
    refused: refusalsAsJson(refused),
  })
}

function notesOn(one: StoreExport, days: { from: string; to: string }): string[] {
  const edits = describeEdits(one, days)
  const beyond = one.beyondType.map(
    of =>
      `${one.store}: ${describeBeyondType(of)}; in Parquet their exact digits are in exact_decimals`,
  )
  return [...(edits === undefined ? [] : [edits]), ...beyond]
}

export function describeExports(done: readonly StoreExport[]): string {
  const rows = done.flatMap(({ store, files }) =>
    files.map(file => [store, file.dataset, file.format, file.rows, pathFromHere(file.path)]),
  )
  const table = formatTable(['store', 'dataset', 'format', 'rows', 'file'], rows, { below: 'file' })
  const manifests = done.map(({ manifest }) => `  manifest: ${pathFromHere(manifest)}`)
  return `${table}\n\n${manifests.join('\n')}`
}

export const command = declareCommand<ExportOptions, [readonly string[]]>({
  takes: '<datasets...>',
  choose:
    'For example: tillage export transactions --from 2026-03-01 --to 2026-03-02. ' +
    'All of them: tillage datasets',
  options: [
    ...dayOptions(),
    option('--format <list>', FILE_FORMATS.join(', ')).default('parquet,csv'),
    option('--out <folder>', 'folder for the files (default: exports in the configuration)'),
    option(
      '--raw',
      'raw_transactions and raw_transaction_items instead: ' +
        "with the API's own columns beside those of the books",
    ),
    option('--people', 'fill the columns that identify people; they are empty otherwise'),
  ],
  notes: 'tillage datasets says what there is to export.',
  audited: ({ people, store, from, to, format, out }, datasets) =>
    people === true ? { people, datasets, store, from, to, format, out } : undefined,
  run: exportDatasets,
})
