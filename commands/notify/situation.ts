import type { Config } from '../../config.ts'
import type { Notices } from '../../connectors/destination/notices.ts'
import type { Situation, Told } from '../../notify/decide.ts'
import { openAlarms } from '../../standing/alarms.ts'
import type { Notice } from '../../standing/notice.ts'

/** What is open by now, who was told of what, and what the settings say. */
export async function situationOf(
  { config, kept, database }: { config: Config; kept: Notices; database: string },
  notices: readonly Notice[],
  { nowMs, firstSeen }: Pick<Situation, 'nowMs' | 'firstSeen'>,
): Promise<Situation> {
  return {
    open: openAlarms(notices, nowMs),
    told: (await kept.open()) as Told[],
    openings: await kept.openings(),
    firstSeen,
    database,
    stores: config.stores.length,
    settings: config.notify,
    nowMs,
  }
}
