import { TillageError } from '../../errors.ts'
import type { Stream } from '../stream.ts'
import type { CopySource, CopyTarget } from './ends.ts'
import { fingerprintsOf } from './fingerprints.ts'
import type { Fingerprint } from './fingerprints.ts'
import { planTables } from './plan-tables.ts'
import type { CopiedTable } from './plan-tables.ts'
import { nulRestorer } from './restore-nul.ts'

export interface Copying {
  source: CopySource
  target: CopyTarget
  streams: readonly Stream[]
  signal: AbortSignal
  progress(line: string): void
}

/** What is in both, and what is not the same in them; none: the copy is what the source is. */
export interface Comparison {
  same: Fingerprint[]
  different: Difference[]
}

export interface Difference {
  source: Fingerprint | undefined
  target: Fingerprint | undefined
}

/**
 * Brings all rows of one database into another, from where an earlier copy has ended, and compares
 * the two row by row as they are then.
 */
export async function copyRows(copying: Copying): Promise<Comparison> {
  const { source, target } = copying
  const tables = planTables(await source.shapes(), await target.shapes())
  const begun = await target.begun()
  for (const table of tables) await copyTable(copying, table, begun.get(table.name))
  await target.setCounters(await source.counters())
  return compare(copying, tables)
}

async function copyTable(
  { source, target, streams, signal, progress }: Copying,
  { name, columns, key }: CopiedTable,
  after: string[] | undefined,
): Promise<void> {
  const restore = nulRestorer(source, { name, columns, key }, streams)
  const keys = key.map(column => columns.indexOf(column))
  let copied = 0
  for await (const rows of source.rows({ table: name, columns, key, ...(after && { after }) })) {
    refuseAborted(signal)
    if (restore !== undefined) for (const row of rows) await restore(row)
    const last = keys.map(at => rows.at(-1)![at]!)
    await target.take({ table: name, columns, rows, last })
    copied += rows.length
    progress(`${name}: ${copied} rows copied`)
  }
}

/** What was committed stays where it is. */
function refuseAborted(signal: AbortSignal): void {
  if (signal.aborted)
    throw new TillageError('INTERRUPTED', 'stopped before the copy was done', {
      remedy: 'Run the same command again with --resume: it goes on where it was.',
    })
}

async function compare(
  { source, target, streams, signal, progress }: Copying,
  tables: readonly CopiedTable[],
): Promise<Comparison> {
  const comparison: Comparison = { same: [], different: [] }
  for (const table of tables) {
    refuseAborted(signal)
    progress(`${table.name}: compared`)
    const [ours, theirs] = await Promise.all([
      fingerprintsOf(source, table, streams),
      fingerprintsOf(target, table, streams),
    ])
    for (const name of new Set([...ours.keys(), ...theirs.keys()])) {
      const [one, other] = [ours.get(name), theirs.get(name)]
      if (one?.hash === other?.hash) comparison.same.push(one!)
      else comparison.different.push({ source: one, target: other })
    }
  }
  comparison.different.push(...(await differentCounters(source, target)))
  return comparison
}

/** Numbers that were given out, and to whose rows are gone, are given out to nobody else. */
async function differentCounters(source: CopySource, target: CopyTarget): Promise<Difference[]> {
  const [ours, theirs] = [await source.counters(), await target.counters()]
  const shown = (table: string, number: number): Fingerprint => ({
    table: `the last number of ${table}`,
    store: '',
    month: '',
    rows: number,
    sum: null,
    hash: '',
  })
  return [...ours].flatMap(([table, number]) => {
    const other = theirs.get(table) ?? number
    return other === number ? [] : [{ source: shown(table, number), target: shown(table, other) }]
  })
}
