import type { WorkerStanding } from '../../commands/status/worker-is-up.ts'
import { decide } from '../../notify/decide.ts'
import type { Situation, Told } from '../../notify/decide.ts'
import type { NoticeDocument } from '../../notify/document.ts'
import { openAlarms } from '../../standing/alarms.ts'
import type { Alarm } from '../../standing/alarms.ts'
import { noticeOf } from '../../standing/notice.ts'
import type { Notice, NoticeKind } from '../../standing/notice.ts'

export type Settings = Situation['settings']

/** As Temporal says it of work that no workflow does: rows are written by hand. */
export const workerIsUp = (): WorkerStanding => ({ isUp: true, stranded: [] })

export const OPS = { id: 'ops', url: 'https://hooks.example/T', allowInsecure: false }
export const MAIL = { ...OPS, id: 'mail' }
export const EVERYTHING: Settings = { channels: [OPS], routes: [] }

/** What a judge would say of a store. */
export const said = (
  kind: NoticeKind,
  store: string | null,
  rest: Partial<
    Pick<Notice, 'day' | 'object' | 'stream' | 'since' | 'wasTold' | 'textOutside'>
  > = {},
): Notice => noticeOf({ kind, severity: 'critical', store, text: `${kind} of ${store}`, ...rest })

export interface Arrival extends NoticeDocument {
  channel: string
  key: string
}

/** An installation whose clock is turned by hand: what arrives each time it tells what is open. */
export function installation(settings: Settings = EVERYTHING, stores = 2) {
  let told: Told[] = []
  const openings = new Map<string, number>()
  const firstSeen = new Map<string, number>()
  return {
    tell(notices: readonly Notice[], nowMs: number): Arrival[] {
      const open: Alarm[] = openAlarms(notices, nowMs)
      for (const { key } of open) if (!firstSeen.has(key)) firstSeen.set(key, nowMs)
      const common = { told, openings, firstSeen, settings, nowMs }
      const decision = decide({ open, database: 'db', stores, ...common })
      const changed = new Set(decision.notices.map(({ id }) => id))
      for (const { key, number } of decision.notices)
        if (number === 1) openings.set(key, (openings.get(key) ?? 0) + 1)
      told = [...told.filter(({ id }) => !changed.has(id)), ...decision.notices].filter(
        ({ closedAt }) => closedAt === undefined,
      )
      return decision.deliveries.map(({ id, channel, document }) => ({
        ...(JSON.parse(document) as NoticeDocument),
        channel,
        key: id.slice(0, id.lastIndexOf('/')),
      }))
    },
  }
}
