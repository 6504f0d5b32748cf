/**
 * Workflow ids, derived from the work: the same work has the same id, so a second start joins the
 * first.
 */
export interface SyncWork {
  store: string
  /** Store days, `to` exclusive; neither = since the watermark. */
  from?: string | undefined
  to?: string | undefined
  /** Read proven windows again too. */
  again?: boolean | undefined
  /** Nobody named the streams: one that the API does not offer is a finding and no failure. */
  tolerant?: boolean | undefined
  /** Instead of dates: read the last so many days again, proven or not. */
  sweepDays?: number | undefined
}

const LATEST = 'latest'

const rangeOf = ({ from, to, again, sweepDays }: SyncWork): string[] =>
  sweepDays !== undefined
    ? [`sweep${sweepDays}`]
    : [
        from === undefined && to === undefined ? LATEST : `${from ?? ''}..${to ?? ''}`,
        ...(again === true ? ['again'] : []),
      ]

export const syncStreamId = (work: SyncWork, stream: string): string =>
  ['sync', work.store, stream, ...rangeOf(work)].join('/')
export const syncStoreId = (work: SyncWork, streams: readonly string[]): string =>
  storeIdOf(work, shortenedNames(streams))
/** As versions before named it, for work that one of them has begun. */
export const unshortenedStoreId = (work: SyncWork, streams: readonly string[]): string =>
  storeIdOf(work, namesOf(streams))

const storeIdOf = (work: SyncWork, names: string): string =>
  ['sync', work.store, names, ...rangeOf(work), 'store'].join('/')
const namesOf = (streams: readonly string[]): string => streams.join('+')

/**
 * A Temporal server whose database is one of SQL holds 255 characters of an id, and fails each
 * start of a longer one as if it were away.
 */
const LONGEST_NAMES = 100

function shortenedNames(streams: readonly string[]): string {
  const names = namesOf(streams)
  return names.length <= LONGEST_NAMES ? names : `${streams.length}-streams+${fingerprintOf(names)}`
}

/** FNV-1a of 64 bits: workflows have no library for it. */
function fingerprintOf(ascii: string): string {
  let hash = 0xcbf29ce484222325n
  for (const letter of ascii)
    hash = BigInt.asUintN(64, (hash ^ BigInt(letter.charCodeAt(0))) * 0x100000001b3n)
  return hash.toString(16).padStart(16, '0')
}

/** What a schedule starts: the workflow's own name, which begins the schedule's id. */
export const SCHEDULE_KINDS = [
  'nightly',
  'sweep',
  'check',
  'push',
  'audit',
  'upkeep',
  'backup',
] as const
export type ScheduleKind = (typeof SCHEDULE_KINDS)[number]
export const scheduleId = (kind: ScheduleKind, store: string): string => `${kind}/${store}`
/** Temporal adds the time that a start was due at. */
export const scheduledWorkflowId = (kind: ScheduleKind, store: string): string =>
  `scheduled/${kind}/${store}`
/** A check that somebody asks for: of these streams, and this sample of their records. */
export const checkId = (
  store: string,
  streams: readonly string[],
  sample: readonly number[],
): string =>
  `${scheduledWorkflowId('check', store)}/${[shortenedNames(streams), ...sample].join('+')}`
/** Each run of a plan is a workflow of its own. */
export const applyId = (plan: string, run: string): string => `apply/${plan}/${run}`
/** One for each plan with rows that wait for their time. */
export const dueId = (plan: string): string => `due/${plan}`
/** Each delivery is a workflow of its own: one receiver that hangs keeps no other waiting. */
export const deliverId = (delivery: string): string => `deliver/${delivery}`
/**
 * Where writes to the API wait: those of a run for the process that began it, all others for `up`
 * and workers. What only reads takes neither.
 */
export const writesQueue = (taskQueue: string, run = 'writes'): string => `${taskQueue}/${run}`
/** What writes files, or copies: of workers with the role `export`. */
export const exportsQueue = (taskQueue: string): string => `${taskQueue}/exports`
export const nightId = (store: string, day: string): string => `night/${store}/${day}`
export const backfillNightsId = (store: string, from: string, to: string): string =>
  `nights/${store}/${from}..${to}`

/** One for each store of which events wait. */
export const hintsId = (store: string): string => `hints/${store}`

/** By the first part of an id. */
const TYPES: Readonly<Record<string, string>> = {
  apply: 'applyPlan',
  deliver: 'deliverNotice',
  due: 'sendWhenDue',
  hints: 'readHints',
  night: 'nightly',
  nights: 'backfillNights',
}

/** Which workflow an id was made for; undefined: it is none of these. */
export function typeOfId(workflowId: string): string | undefined {
  const [first = '', second] = workflowId.split('/')
  if (first === 'scheduled') return second
  if (first === 'sync') return workflowId.endsWith('/store') ? 'syncStore' : 'syncStream'
  return TYPES[first]
}

/** What a workflow is about, by its id. */
export interface WorkOfId {
  /** `sync`, `nightly`, `apply`, ...; of a schedule its own. */
  kind: string
  store?: string
  /** Of work on one stream alone. */
  stream?: string
  /** Of work on one day alone. */
  day?: string
  /** It reads from where it was left off: as a rule little. */
  isLatest?: true
}

/** Work on a store says so in the second part of its id; that on a plan or a notice does not. */
const OF_NO_STORE: ReadonlySet<string> = new Set(['apply', 'deliver', 'due'])

export function workOfId(workflowId: string): WorkOfId {
  const [first = '', second = '', third = '', fourth = ''] = workflowId.split('/')
  if (first === 'scheduled') return { kind: second, store: third }
  if (first === 'night') return { kind: 'nightly', store: second, day: third }
  if (first === 'sync') return syncOf(second, third, fourth)
  return OF_NO_STORE.has(first) ? { kind: first } : { kind: first, store: second }
}

function syncOf(store: string, streams: string, range: string): WorkOfId {
  const day = onlyDay(range)
  return {
    kind: 'sync',
    store,
    ...(streams.includes('+') ? {} : { stream: streams }),
    ...(day === undefined ? {} : { day }),
    ...(range === LATEST ? { isLatest: true } : {}),
  }
}

const DAY_MS = 86_400_000

/** Of a range that is one day: `2026-10-28..2026-10-29`. */
function onlyDay(range: string): string | undefined {
  const [from = '', to = ''] = range.split('..')
  return Date.parse(to) - Date.parse(from) === DAY_MS ? from : undefined
}
