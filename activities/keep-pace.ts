import { toIso } from '../calendar/days.ts'
import type { Behaviours } from '../connectors/destination/behaviours.ts'
import type { Governor } from '../connectors/partner/governor.ts'
import { paceFact } from '../connectors/partner/known-pace.ts'

/** For the next run: a night does not begin by running into a limit that the last one has found. */
export async function keepPace(
  behaviours: Behaviours,
  store: string,
  { foundPerSecond }: Pick<Governor, 'foundPerSecond'>,
  nowMs: number,
): Promise<void> {
  if (foundPerSecond === undefined) return
  await behaviours.keep(store, [{ ...paceFact(foundPerSecond), seenAt: toIso(nowMs) }])
}
