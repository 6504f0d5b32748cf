import { toMinute } from '../calendar/days.ts'
import { countOf } from '../commands/terminal/number.ts'
import type { Attempt } from '../connectors/destination/attempts.ts'
import { NOTABLE_SKEW_MS } from '../connectors/partner/api-clock.ts'
import { describeSkew } from '../reading/api-time.ts'
import { noticeOf } from './notice.ts'
import type { Notice, NoticeKind } from './notice.ts'
import type { StreamStatus } from './stream-status.ts'

/** What is known of the readings of a store. */
export interface ReadingFacts {
  store: string
  streams: readonly StreamStatus[]
  /** The newest, whoever made it. */
  attempt: Attempt | undefined
  /** How far this machine's clock was ahead of the API's. */
  clockSkewMs: number
  /** Why nobody knows how its days are cut. */
  zoneProblem: string | undefined
}

/** How the readings of a store stand. Pure. */
export function judgeReading({
  store,
  streams,
  attempt,
  clockSkewMs,
  zoneProblem,
}: ReadingFacts): Notice[] {
  const clock = `when it was read last, the clock of this machine was ${describeSkew(clockSkewMs)}; set it right`
  return [
    ...(Math.abs(clockSkewMs) > NOTABLE_SKEW_MS
      ? [noticeOf({ kind: 'clock_wrong', severity: 'warning', store, text: clock })]
      : []),
    ...(zoneProblem === undefined
      ? []
      : [noticeOf({ kind: 'zone_wrong', severity: 'critical', store, text: zoneProblem })]),
    ...judgeAttempt(attempt),
    ...judgeStreams(store, streams),
  ]
}

const BY_CODE: Readonly<Record<string, NoticeKind>> = {
  PARTNER_KEYS: 'keys_refused',
  PARTNER_PERMISSION: 'permission_lost',
  PARTNER_UNREACHABLE: 'store_unreachable',
  PARTNER_NOT_API: 'store_unreachable',
  PARTNER_UNAVAILABLE: 'store_unreachable',
}

function judgeAttempt(attempt: Attempt | undefined): Notice[] {
  if (attempt?.outcome !== 'failed') return []
  const { store, at, code = 'UNKNOWN', detail = '' } = attempt
  return [
    noticeOf({
      kind: BY_CODE[code] ?? 'reading_failed',
      severity: 'critical',
      store,
      text: `the last attempt to read it failed, ${toMinute(at)} UTC: ${code}: ${detail}`,
      since: at,
      next: [
        { does: 'says what is wrong', command: `tillage doctor --store ${store}` },
        { does: 'reads what is missing', command: `tillage sync --store ${store}` },
      ],
    }),
  ]
}

/** Of each list of a store what is not proven, was not loaded or was never read. */
export function judgeStreams(store: string, streams: readonly StreamStatus[]): Notice[] {
  if (streams.every(({ lastReadAt }) => lastReadAt === null))
    return [noticeOf({ kind: 'never_read', severity: 'hint', store, text: TEXT_NEVER_READ })]
  return [
    ...streams.filter(({ unproven }) => unproven > 0).map(one => judgeUnproven(store, one)),
    ...streams.filter(({ deadLetters }) => deadLetters > 0).map(one => judgeLetters(store, one)),
    ...streams.filter(({ gaps }) => gaps.length > 0).map(one => judgeGaps(store, one)),
  ]
}

const TEXT_NEVER_READ = 'nothing was read yet'

const judgeUnproven = (store: string, { stream, unproven }: StreamStatus): Notice =>
  noticeOf({
    kind: 'unproven',
    severity: 'critical',
    store,
    stream,
    text: `${stream}: ${countOf(unproven, 'window')} not proven`,
    next: [
      { does: 'says why', command: `tillage coverage ${stream} --store ${store}` },
      { does: 'reads them again', command: `tillage sync ${stream} --store ${store}` },
    ],
  })

const judgeLetters = (store: string, { stream, deadLetters }: StreamStatus): Notice =>
  noticeOf({
    kind: 'dead_letters',
    severity: 'warning',
    store,
    stream,
    text: `${stream}: ${countOf(deadLetters, 'dead letter')}`,
    next: [
      {
        does: 'says which, and why',
        command: `tillage dead-letters list --stream ${stream} --store ${store}`,
      },
    ],
  })

const judgeGaps = (store: string, { stream, gaps }: StreamStatus): Notice =>
  noticeOf({
    kind: 'gap',
    severity: 'hint',
    store,
    stream,
    text: `${stream}: ${countOf(gaps.length, 'gap')} that was never read`,
    next: [{ does: 'says where', command: `tillage coverage ${stream} --store ${store}` }],
  })
