import { exportStore } from '../books/export-store.ts'
import type { StoreExport } from '../books/export-store.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import { openReadOnly } from '../connectors/sqlite/read-only.ts'
import { datasetsOf } from '../exports/datasets.ts'
import { FILE_FORMATS } from '../exports/manifest.ts'
import { chooseNames } from '../names.ts'
import { chooseFormats, chooseStores, requireDays } from './choices.ts'
import type { DayRange } from './choices.ts'
import { declareCommand, days as dayOptions, option } from './command.ts'
import type { Context } from './command.ts'
import { describeEdits, doubtEdits, doubtFilters, doubtLetters } from './doubts.ts'
import { eachStore, exitStatusOfStores, logRefusals, refusalsAsJson } from './each-store.ts'
import { formatTable } from './terminal.ts'

export interface ExportOptions extends DayRange {
  format: string
  store?: string
  out?: string
  people?: boolean
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
  const days = requireDays(options)
  const formats = chooseFormats('format', options.format, FILE_FORMATS)
  const datasets = chooseNames(
    'dataset',
    names,
    datasetsOf(streams).map(({ name }) => name),
  )
  const stores = chooseStores(config, options.store)
  const database = await openReadOnly(config, streams)
  const done: StoreExport[] = []
  const doubtful: string[] = []
  let refused
  try {
    refused = await eachStore(stores, async store => {
      doubtful.push(
        ...(await doubtFilters(database, store, datasets)),
        ...(await doubtLetters(database, store, datasets, days)),
      )
      done.push(
        await exportStore(
          config,
          database,
          {
            store,
            days,
            datasets,
            formats,
            out: options.out ?? config.exports,
            includePeople: options.people === true,
          },
          terminal.progress,
          signal,
        ),
      )
    })
  } finally {
    await database.close()
  }
  if (terminal.json) {
    const manifests = done.map(({ manifest }) => manifest)
    terminal.print(
      JSON.stringify({
        files: done.flatMap(one =>
          one.files.map(({ path, format, rows, sha256 }) => ({ path, format, rows, sha256 })),
        ),
        manifest: manifests[0] ?? null,
        manifests,
        refused: refusalsAsJson(refused),
      }),
    )
  } else if (done.length > 0) terminal.print(describeExports(done))
  logRefusals(refused, terminal)
  for (const one of done) {
    const note = describeEdits(one, days)
    if (note !== undefined) terminal.log(note)
    doubtful.push(...doubtEdits(one))
  }
  for (const line of doubtful) terminal.log(line)
  return exitStatusOfStores(refused, doubtful.length > 0)
}

export function describeExports(done: readonly StoreExport[]): string {
  const rows = done.flatMap(({ store, files }) =>
    files.map(file => [store, file.dataset, file.format, file.rows, file.path]),
  )
  return `${formatTable(['store', 'dataset', 'format', 'rows', 'file'], rows)}\n\n${done.map(({ manifest }) => `  manifest: ${manifest}`).join('\n')}`
}

export const command = declareCommand<ExportOptions, [readonly string[]]>({
  takes: '<datasets...>',
  options: [
    ...dayOptions(),
    option('--format <list>', FILE_FORMATS.join(', ')).default('parquet,csv'),
    option('--out <folder>', 'where the files go (default: exports in the configuration)'),
    option('--people', 'write the columns that tell who somebody is; they are empty otherwise'),
  ],
  audited: ({ people, store, from, to, format, out }, datasets) =>
    people === true ? { people, datasets, store, from, to, format, out } : undefined,
  run: exportDatasets,
})
