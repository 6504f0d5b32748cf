import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { writeNewFile } from '../../disk.ts'
import { UsageError } from '../../errors.ts'
import type { Catalog } from '../../push/operation.ts'
import { columnsOf } from '../../push/plan/columns.ts'
import { createReferences } from '../../push/plan/reference.ts'
import { readCatalog } from '../../push/read-list.ts'
import { fillTemplate } from '../../push/template.ts'
import type { Filled } from '../../push/template.ts'
import { sha256Of } from '../../sha256.ts'
import { recordsForExcel } from '../../text/write-csv.ts'
import type { Context } from '../command.ts'
import { countOf } from '../terminal/number.ts'
import { formatTable } from '../terminal/table.ts'
import { withPush } from './open-push.ts'
import { chooseCatalog, choosePushStores } from './plan.ts'

export interface PushTemplateOptions {
  store?: string
  filled?: boolean
  out?: string
}

interface WrittenTemplate {
  path: string
  store: string | null
  format: 'csv'
  rows: number
  leftOut: number
  sha256: string
}

/**
 * `tillage push template products|vendors`: a file to start from, empty or out of the live catalog.
 */
export async function pushTemplate(
  context: Context,
  options: PushTemplateOptions,
  ...[named]: [catalog: string]
): Promise<number> {
  const { terminal } = context
  const catalog = chooseCatalog(named)
  const files =
    options.filled === true
      ? await writeFilled(context, options, catalog)
      : [write(options.out ?? `${catalog}.csv`, catalog, null, { rows: [], leftOut: 0 })]
  const columns = columnsOf(catalog).map(({ name, kind, means }) => ({ name, kind, means }))
  if (terminal.json) terminal.print(JSON.stringify({ catalog, files, columns }))
  else {
    terminal.print(
      formatTable(
        ['column', 'is', 'means'],
        columns.map(({ name, kind, means }) => [name, kind, means]),
      ),
    )
    terminal.print('\nAn empty cell leaves the field as it is; __CLEAR__ clears it.')
    for (const { path, rows, leftOut } of files)
      terminal.print(
        `${path}: ${countOf(rows, 'row')}` +
          (leftOut === 0
            ? ''
            : `; ${leftOut} records without an external id of their own were left out`),
      )
  }
  return 0
}

function writeFilled(
  { config, terminal, signal }: Context,
  options: PushTemplateOptions,
  catalog: Catalog,
): Promise<WrittenTemplate[]> {
  const stores = choosePushStores(config, [options.store ?? ''])
  if (stores.length > 1 && options.out !== undefined)
    throw new UsageError('--out names one file, and there are several stores', 'Add --store ID.')
  return withPush(config, async push => {
    const files: WrittenTemplate[] = []
    for (const store of stores) {
      const { timeZone } = await push.identify(store, signal)
      terminal.progress(`${store}: reading the catalog`)
      const live = await readCatalog(push.store(store), push.streams, catalog, signal)
      const filled = fillTemplate(catalog, live, {
        timeZone,
        references: createReferences(live, new Map()),
        assetOf: () => undefined,
      })
      files.push(write(options.out ?? `${catalog}_${store}.csv`, catalog, store, filled))
    }
    return files
  })
}

/** Never over a file that is there: it may be somebody's work of a day. */
function write(
  file: string,
  catalog: Catalog,
  store: string | null,
  { rows, leftOut }: Filled,
): WrittenTemplate {
  const path = resolve(file)
  if (existsSync(path))
    throw new UsageError(
      `${file} is there already`,
      'Nothing was written. Name another: --out FILE.',
    )
  const text = recordsForExcel(
    columnsOf(catalog).map(({ name }) => name),
    rows,
  )
  writeNewFile(path, text)
  return { path, store, format: 'csv', rows: rows.length, leftOut, sha256: sha256Of(text) }
}
