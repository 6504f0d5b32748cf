import type { KnownRun } from '../connectors/destination/runs.ts'
import { isMadeUpFor } from '../schedules/read-due.ts'
import type { DueLine } from '../schedules/read-due.ts'
import { noticeOf } from './notice.ts'
import type { Notice, NoticeKind } from './notice.ts'

/**
 * How what was due of a store stands, and its runs of late, the newest days first: what somebody
 * triggered was due at no time. Pure.
 */
export function judgeRuns(due: readonly DueLine[], lately: readonly KnownRun[]): Notice[] {
  const told = new Set(
    due.filter(line => line.overdue || waitsForPerson(line)).map(line => keyOf(line)),
  )
  const others = lately
    .map(run => ({ ...run, schedule: `${run.kind}/${run.store}` }))
    .filter(run => !told.has(keyOf(run)) && !isMadeUpFor(run, lately))
  return [
    ...due.filter(line => line.overdue).map(judgeOverdue),
    ...due.filter(line => !line.overdue && waitsForPerson(line)).map(judgeWaiting),
    ...judgeFailed(others.filter(({ outcome }) => outcome === 'failed')),
    ...others
      .filter(({ outcome, detail }) => outcome === 'running' && isForPerson(detail))
      .map(run => judgeWaiting({ ...run, standing: 'running' })),
  ]
}

type Named = Pick<DueLine, 'schedule' | 'store' | 'day' | 'detail'>

const keyOf = ({ schedule, day }: Pick<Named, 'schedule' | 'day'>): string => `${schedule} ${day}`

const isNight = ({ schedule }: Pick<Named, 'schedule'>): boolean => schedule.startsWith('nightly/')

const isBackup = ({ schedule }: Pick<Named, 'schedule'>): boolean => schedule.startsWith('backup/')

/** A backup is made at once, when its reason to fail is gone. */
const nextOf = (line: Pick<Named, 'store' | 'schedule'>) => [
  isBackup(line)
    ? { does: 'makes one now', command: `tillage schedule trigger ${line.schedule}` }
    : { does: 'lists what is due', command: `tillage schedule list --store ${line.store}` },
]

function judgeOverdue({ standing, since, ...line }: DueLine): Notice {
  const { schedule, store, day, detail } = line
  const text = [`${schedule} of ${day} ${standing}`, detail].filter(part => part !== '').join(': ')
  return noticeOf({
    kind: kindOfOverdue(standing, line),
    severity: standing === 'paused' ? 'warning' : severityOf(line),
    store,
    day,
    object: schedule,
    text,
    since,
    next: nextOf({ schedule, store }),
  })
}

function kindOfOverdue(standing: DueLine['standing'], line: Named): NoticeKind {
  if (standing === 'paused') return 'schedule_paused'
  if (standing === 'failed') return kindOfFailed(line)
  if (isBackup(line)) return 'backup_old'
  return isNight(line) ? 'night_missed' : 'run_missed'
}

function kindOfFailed(line: Pick<Named, 'schedule'>): NoticeKind {
  if (isBackup(line)) return 'backup_old'
  return isNight(line) ? 'night_failed' : 'run_failed'
}

/** What was read is there without a backup, too. */
const severityOf = (line: Pick<Named, 'schedule'>): 'warning' | 'critical' =>
  isBackup(line) ? 'warning' : 'critical'

type FailedRun = Named & Pick<KnownRun, 'finishedAt'>

/** One of each schedule: many days that were asked for at once fail for one reason. */
const judgeFailed = (failed: readonly FailedRun[]): Notice[] =>
  [...Map.groupBy(failed, ({ schedule }) => schedule).values()].map(runs => {
    const { schedule, store, day, detail, finishedAt } = runs[0]!
    return noticeOf({
      kind: kindOfFailed({ schedule }),
      severity: severityOf({ schedule }),
      store,
      day,
      text: `${schedule} of ${nameDays(runs)} failed: ${detail}`,
      since: finishedAt ?? null,
      next: nextOf({ store, schedule }),
    })
  })

const DAYS_NAMED = 3
/** British: without a comma before the last. */
const LIST = new Intl.ListFormat('en-GB')

/** `2026-11-25`, `2026-11-25 and 2026-11-24`, `2026-11-25, 2026-11-24, 2026-11-23 and 5 more`. */
function nameDays(runs: readonly Pick<KnownRun, 'day'>[]): string {
  const more = runs.length - DAYS_NAMED
  const named = runs.slice(0, DAYS_NAMED).map(({ day }) => day)
  return LIST.format(more > 0 ? [...named, `${more} more`] : named)
}

function judgeWaiting(line: Named & Pick<DueLine, 'standing'>): Notice {
  const { schedule, store, day, detail, standing } = line
  const stands = standing === 'at risk' ? 'may be late' : 'waits'
  return noticeOf({
    kind: kindOfWaiting(detail),
    severity: isForPerson(detail) ? 'critical' : 'warning',
    store,
    day,
    text: `${schedule} of ${day} ${stands}: ${detail}`,
    next: nextOf(line),
  })
}

const kindOfWaiting = (detail: string): NoticeKind => {
  const why = whyItWaits(detail)
  if (why.startsWith('JOURNAL_HELD')) return 'journal_held'
  if (why.startsWith('PARTNER_KEYS')) return 'keys_refused'
  return why.startsWith('PARTNER_PERMISSION') ? 'permission_lost' : 'night_at_risk'
}

/** Behind what a night has written of what was read before. */
const whyItWaits = (detail: string): string => detail.replace(/^.*?nothing new was read: /, '')

/** What no later try brings by itself. */
const FOR_A_PERSON = [
  'JOURNAL_HELD',
  'PARTNER_KEYS',
  'PARTNER_PERMISSION',
  'STORE_',
  'DATABASE_FULL',
  'DATABASE_BROKEN',
]

const isForPerson = (detail: string): boolean =>
  FOR_A_PERSON.some(code => whyItWaits(detail).startsWith(code))

/** Under way, and either short of time or in need of somebody. */
export const waitsForPerson = ({ standing, detail }: DueLine): boolean =>
  detail !== '' &&
  (standing === 'at risk' || (['running', 'halted'].includes(standing) && isForPerson(detail)))
