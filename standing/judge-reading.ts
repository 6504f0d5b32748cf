import { toMinute } from '../calendar/days.ts'
import { countOf } from '../commands/terminal/number.ts'
import type { KnownAttempt } from '../connectors/destination/attempts.ts'
import type { KnownRun } from '../connectors/destination/runs.ts'
import { NOTABLE_SKEW_MS, describeSkew } from '../reading/api-time.ts'
import { noticeOf } from './notice.ts'
import type { Notice, NoticeKind } from './notice.ts'
import type { StreamStatus } from './stream-status.ts'

/** What is known of the readings of a store. */
export interface ReadingFacts {
  store: string
  streams: readonly StreamStatus[]
  /** The newest, whoever made it. */
  attempt: KnownAttempt | undefined
  /** The newest of each kind that schedules started. */
  runs?: readonly KnownRun[]
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
  runs = [],
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
    ...judgeAttempt(attempt, runs),
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

function judgeAttempt(attempt: KnownAttempt | undefined, runs: readonly KnownRun[]): Notice[] {
  if (attempt?.outcome !== 'failed') return []
  const { store, at, code = 'UNKNOWN', detail = '', failingSince = at } = attempt
  return [
    noticeOf({
      kind: BY_CODE[code] ?? 'reading_failed',
      severity: 'critical',
      store,
      text: `the last attempt to read it failed, ${toMinute(at)} UTC: ${code}: ${detail}`,
      since: failingSince,
      ...(hasMetRun(failingSince, at, runs) ? {} : { wasTold: true }),
      next: [
        { does: 'says what is wrong', command: `tillage doctor --store ${store}` },
        { does: 'reads what is missing', command: `tillage sync --store ${store}` },
      ],
    }),
  ]
}

/** Else it was a person's own command that failed, and told them. */
const hasMetRun = (since: string, until: string, runs: readonly KnownRun[]): boolean =>
  runs.some(
    ({ startedAt, finishedAt }) =>
      startedAt <= until && (finishedAt === undefined || finishedAt >= since),
  )

/** Of each list of a store what is not proven, was not loaded or was never read. */
export function judgeStreams(store: string, streams: readonly StreamStatus[]): Notice[] {
  if (streams.every(({ lastReadAt }) => lastReadAt === null))
    return [noticeOf({ kind: 'never_read', severity: 'hint', store, text: TEXT_NEVER_READ })]
  return [
    ...streams.filter(({ unproven }) => unproven > 0).map(one => judgeUnproven(store, one)),
    ...streams.filter(({ deadLetters }) => deadLetters > 0).map(one => judgeLetters(store, one)),
    ...streams
      .filter(({ shapeChanges }) => shapeChanges.length > 0)
      .map(one => judgeShape(store, one)),
    ...streams.filter(({ gaps }) => gaps.length > 0).map(one => judgeGaps(store, one)),
  ]
}

const TEXT_NEVER_READ = 'nothing was read yet'

const judgeUnproven = (store: string, { stream, unproven, unprovenSince }: StreamStatus): Notice =>
  noticeOf({
    kind: 'unproven',
    severity: 'critical',
    store,
    stream,
    text: `${stream}: ${countOf(unproven, 'window')} not proven`,
    since: unprovenSince,
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

/** The sentence after the first names a record. */
const judgeShape = (store: string, { stream, shapeChanges }: StreamStatus): Notice =>
  noticeOf({
    kind: 'shape_changed',
    severity: 'hint',
    store,
    stream,
    text: `${stream}: ${shapeChanges.map(({ detail }) => detail.split(';')[0]).join('; ')}`,
    since: shapeChanges.map(({ since }) => since).toSorted()[0]!,
    next: [
      {
        does: 'says what follows',
        command: `tillage findings --stream ${stream} --store ${store}`,
      },
    ],
  })

const judgeGaps = (store: string, { stream, gaps }: StreamStatus): Notice =>
  noticeOf({
    kind: 'gap',
    severity: 'hint',
    store,
    stream,
    text: `${stream}: ${countOf(gaps.length, 'gap')} in what is proven`,
    next: [{ does: 'says where', command: `tillage coverage ${stream} --store ${store}` }],
  })
