import { localMinute } from '../calendar/clock.ts'
import { fromIso, HOUR_MS } from '../calendar/days.ts'
import { coverage } from '../connectors/destination/coverage.ts'
import type { CoveragePart } from '../connectors/destination/coverage.ts'
import { clockSkewMs, describeSkew } from '../reading/api-time.ts'
import { knownZone } from './begin-run.ts'
import type { Run } from './begin-run.ts'
import type { Dependencies } from './dependencies.ts'

/** Streams of which the day is not proven, and why; none = its books can be written. */
export interface DayCheck {
  missing: string[]
  why: string
}

/** Reads the ledger: is every instant of the business day proven? */
export async function checkDay(
  dependencies: Dependencies,
  { run, streams }: { run: Run; streams: readonly string[] },
): Promise<DayCheck> {
  const { destination } = dependencies
  const skewMs = await clockSkewMs(dependencies, run.store)
  // Which day is over is not known while the clocks differ by so much.
  if (Math.abs(skewMs) > HOUR_MS)
    return {
      missing: [...streams],
      why: `the clock of this machine is ${describeSkew(skewMs)}; set it right`,
    }
  const range = { startMs: fromIso(run.dayStart), endMs: fromIso(run.dayEnd) }
  const timeZone = (await knownZone(dependencies, run.store)) ?? 'UTC'
  const missing: string[] = []
  const reasons: string[] = []
  for (const stream of streams) {
    const rows = await destination.ledger.windows(run.store, stream)
    const hole = coverage(rows, range).find(({ status }) => status !== 'proven')
    if (hole === undefined) continue
    missing.push(stream)
    reasons.push(
      `${stream} ${hole.status} from ${localMinute(hole.startMs, timeZone)}${reasonOf(hole)}`,
    )
  }
  return { missing, why: reasons.join('; ') }
}

function reasonOf({ evidence }: CoveragePart): string {
  if (evidence === undefined) return ''
  const { reason } = JSON.parse(evidence) as { reason?: string }
  return reason === undefined ? '' : ` (${reason})`
}
