import { toMinute } from '../calendar/days.ts'
import { noticeOf } from './notice.ts'
import type { Notice } from './notice.ts'

/** Of workers, as `worker --role` names them. */
export type MissingRole = 'export' | 'write'

/** Work that has begun, and the release that alone goes on with it; undefined: any may. */
export interface StrandedWork {
  workflowId: string
  pinnedTo?: string
}

/** What is known of the programs that work for this database. */
export interface InstallationFacts {
  /** How a worker is started here. */
  start: string
  /** Of a server of Temporal that does not belong to this program. */
  temporalAddress: string | undefined
  /** Undefined: nobody knows, since Temporal does not answer. */
  workerIsUp: boolean | undefined
  /** What has begun, and no worker is there to go on with it. */
  stranded: readonly StrandedWork[]
  /** Of workers: nobody has them, though work of theirs is due now and then. */
  missingRoles: readonly MissingRole[]
  /** Temporal's server does not answer: one of its own, or one whose program is up. */
  isServerGone: boolean
  /** Schedules that somebody would have to start, and nobody has paused. */
  activeSchedules: number
  /** Of programs that are up: settings that they do not work by. */
  notApplied: readonly NotApplied[]
  /** What waits beside the database, for as long as somebody reads an older state of it. */
  logBytes: number
  /** Of the disks that hold the database file and the exports: the one that lacks most. */
  disk: DiskFacts | undefined
  /** Channels that take nothing now; since when, ISO, UTC. */
  failing: readonly { channel: string; since: string; detail: string }[]
}

/** What a disk has left, and how much of it a night needs. */
export interface DiskFacts {
  holds: 'database' | 'exports'
  freeBytes: number
  neededBytes: number
}

export interface NotApplied {
  pid: number
  /** Since when it works by others; ISO, UTC. */
  at: string
  /** Sections of `tillage.yaml`. */
  sections: readonly string[]
  /** Why it did not take them up. */
  problem: string | undefined
}

/** How the programs of this database stand. Pure. */
export const judgeInstallation = (facts: InstallationFacts): Notice[] => [
  ...judgeWorker(facts),
  ...facts.stranded.map(work => judgeStranded(work, facts.start)),
  ...facts.missingRoles.flatMap(role => judgeMissingRole(role, facts)),
  ...facts.notApplied.map(one => judgeNotApplied(one, facts.start)),
  ...judgeLog(facts),
  ...judgeDisk(facts),
  ...facts.failing.map(judgeFailing),
]

function judgeStranded({ workflowId, pinnedTo }: StrandedWork, start: string): Notice {
  const move = `tillage worker move ${pinnedTo}`
  const [command, why] =
    pinnedTo === undefined
      ? [start, `no worker continues it: ${start}`]
      : [move, `no worker of its release ${pinnedTo} continues it: start one, or ${move}`]
  return noticeOf({
    kind: 'work_stranded',
    severity: 'critical',
    text: `${workflowId} has begun, and ${why}`,
    next: [{ does: 'goes on with it', command }],
  })
}

/** Without a long reader it stays below 200 MB. */
const LONG_LOG_BYTES = 256_000_000

function judgeLog({ logBytes }: InstallationFacts): Notice[] {
  if (logBytes < LONG_LOG_BYTES) return []
  return [
    noticeOf({
      kind: 'log_long',
      severity: 'hint',
      text:
        `the log beside the database has ${Math.round(logBytes / 1_000_000)} MB, because another ` +
        'program (a shell, a BI tool) still reads an older state of the database; once it has ' +
        'ended, tillage up or the next sync cuts the log',
    }),
  ]
}

const gigabytes = (bytes: number): string => `${(bytes / 1_000_000_000).toFixed(1)} GB`

function judgeDisk({ disk }: InstallationFacts): Notice[] {
  if (disk === undefined || disk.freeBytes >= disk.neededBytes) return []
  const { holds, freeBytes, neededBytes } = disk
  const what = holds === 'database' ? 'the database' : 'the exports'
  return [
    noticeOf({
      kind: 'disk_low',
      severity: 'critical',
      text:
        `the disk that holds ${what} has ${gigabytes(freeBytes)} left, ` +
        `and a night needs ${gigabytes(neededBytes)}`,
      next: [{ does: 'removes what retention does not keep', command: 'tillage purge --dry-run' }],
    }),
  ]
}

const judgeFailing = ({ channel, since, detail }: InstallationFacts['failing'][number]): Notice =>
  noticeOf({
    kind: 'delivery_failed',
    severity: 'warning',
    object: channel,
    text: `the channel ${channel} has taken nothing since ${toMinute(since)} UTC: ${detail}`,
    since,
    next: [{ does: 'tries it now', command: `tillage notify test --channel ${channel}` }],
  })

function judgeWorker(facts: InstallationFacts): Notice[] {
  const { start, workerIsUp, isServerGone, activeSchedules } = facts
  if (isServerGone) return judgeGoneServer(facts)
  return workerIsUp !== false || activeSchedules === 0
    ? []
    : [nothingStarts('no worker is up', start, { does: 'starts what is due', command: start })]
}

function judgeGoneServer({ start, temporalAddress, activeSchedules }: InstallationFacts): Notice[] {
  const what = "Temporal's server does not answer"
  // It has left its program alone.
  if (temporalAddress === undefined)
    return [nothingStarts(what, start, { does: 'starts what is due', command: start })]
  const remedy = `see to the server at ${temporalAddress}`
  return activeSchedules === 0
    ? []
    : [nothingStarts(what, remedy, { does: 'says why', command: 'tillage doctor' })]
}

const nothingStarts = (what: string, remedy: string, next: Notice['next'][number]): Notice =>
  noticeOf({
    kind: 'worker_missing',
    severity: 'critical',
    text: `${what}, so nothing that is due starts by itself: ${remedy}`,
    next: [next],
  })

const WAITS_FOR: Readonly<Record<MissingRole, string>> = {
  export: 'so no files are written and no night ends',
  write: 'so rows of plans whose time comes are not sent',
}

function judgeMissingRole(role: MissingRole, facts: InstallationFacts): Notice[] {
  // A command that reads is a worker for a moment; without schedules nothing waits for another.
  if (role === 'export' && facts.activeSchedules === 0) return []
  const command = facts.start === 'tillage up' ? facts.start : `tillage worker --role ${role}`
  return [
    noticeOf({
      kind: 'role_missing',
      severity: 'critical',
      object: role,
      text: `no worker has the role ${role}, ${WAITS_FOR[role]}`,
      next: [{ does: 'starts one', command }],
    }),
  ]
}

const judgeNotApplied = ({ pid, at, sections, problem }: NotApplied, start: string): Notice =>
  noticeOf({
    kind: 'settings_not_applied',
    severity: 'warning',
    text:
      `${start} (process ${pid}) uses the settings of ${toMinute(at)} UTC, ` +
      `not those of tillage.yaml${sections.length === 0 ? '' : ` (${sections.join(', ')})`}` +
      (problem === undefined ? '' : `: ${problem}`),
    since: at,
    next: [{ does: 'starts it with the new settings', command: start }],
  })
