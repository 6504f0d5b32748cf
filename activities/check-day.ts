import { fromIso, toIso } from '../calendar/days.ts'
import { coverage } from '../connectors/destination/coverage.ts'
import { readLedger } from '../connectors/sqlite/read-ledger.ts'
import type { Run } from './begin-run.ts'
import type { Dependencies } from './dependencies.ts'

/** Streams of which the day is not proven, and why; none = its books can be written. */
export interface DayCheck {
  missing: string[]
  why: string
}

/** Reads the ledger: is every instant of the business day proven? */
export async function checkDay(
  { destination }: Dependencies,
  { run, streams }: { run: Run; streams: readonly string[] },
): Promise<DayCheck> {
  const range = { startMs: fromIso(run.dayStart), endMs: fromIso(run.dayEnd) }
  const missing: string[] = []
  const reasons: string[] = []
  for (const stream of streams) {
    const hole = coverage(await readLedger(destination.db, run.store, stream), range).find(
      ({ status }) => status !== 'proven',
    )
    if (hole === undefined) continue
    missing.push(stream)
    const told =
      hole.evidence === undefined
        ? undefined
        : (JSON.parse(hole.evidence) as { reason?: string }).reason
    reasons.push(
      `${stream} ${hole.status} from ${toIso(hole.startMs)}${told === undefined ? '' : ` (${told})`}`,
    )
  }
  return { missing, why: reasons.join('; ') }
}
