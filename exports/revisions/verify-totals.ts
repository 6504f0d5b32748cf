import { dirname, join } from 'node:path'
import { addDecimal, newDecimalTotals, sumOf } from '../../money/decimal-totals.ts'
import type { Format } from '../formats/format.ts'
import { FORMATS } from '../formats/formats.ts'
import type { Manifest, ManifestDataset } from './manifest.ts'
import type { VerifyProblem } from './verify.ts'

/**
 * Reads every file of a manifest again and compares its rows and the exact sum of each decimal
 * column with what the manifest says: control totals that hold whoever wrote the file. `path` is
 * the manifest's; files in `except` are known to be wrong.
 */
export async function verifyTotals(
  path: string,
  manifest: Manifest,
  except: ReadonlySet<string>,
): Promise<VerifyProblem[]> {
  const problems: VerifyProblem[] = []
  for (const file of manifest.files) {
    const filePath = join(dirname(path), file.path)
    const dataset = manifest.datasets.find(one => one.dataset === file.dataset)
    // What is no table of ours, like IIF, has its hash alone.
    const format = FORMATS.find(({ name }) => name === file.format)
    if (dataset === undefined || format === undefined || except.has(filePath)) continue
    // The totals of a dataset are those of its newest file; earlier journals have their hash.
    if (manifest.files.some(one => one.dataset === file.dataset && one.revision > file.revision))
      continue
    const detail = await differenceOf(filePath, format, dataset)
    if (detail !== undefined) problems.push({ path: filePath, problem: 'another total', detail })
  }
  return problems
}

async function differenceOf(
  path: string,
  format: Format,
  dataset: ManifestDataset,
): Promise<string | undefined> {
  const columns = Object.keys(dataset.sums).map(name => ({
    name,
    kind: 'decimal' as const,
    person: false,
    totals: newDecimalTotals(),
  }))
  let rows = 0
  for await (const row of format.rows(path, columns, 'UTC')) {
    rows++
    for (const { name, totals } of columns) {
      const cell = row[name]
      if (cell !== null && cell !== undefined) addDecimal(totals, cell)
    }
  }
  if (rows !== dataset.rows) return `${rows} rows, the manifest says ${dataset.rows}`
  const off = columns.find(
    ({ name, totals }) =>
      totals.broken || shortest(sumOf(totals)) !== shortest(dataset.sums[name]!),
  )
  return off === undefined
    ? undefined
    : `${off.name} adds up to ${sumOf(off.totals)}, the manifest says ${dataset.sums[off.name]}`
}

const shortest = (sum: string): string => sum.replace(/\.?0+$/, '').replace(/^-?0?$/, '0')
