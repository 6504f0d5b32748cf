/** How bad it is. A hint is told and changes no exit status. */
export type Severity = 'hint' | 'warning' | 'critical'

/** What can stand open, with its title: a short line that stands without its store. */
export const TITLES = {
  never_read: 'nothing was read yet',
  left_settings: 'is not in tillage.yaml any more',
  clock_wrong: 'the clock of this machine is wrong',
  zone_wrong: 'tillage.yaml has another time zone',
  unproven: 'windows are not proven',
  gap: 'there are gaps in what is proven',
  dead_letters: 'records could not be loaded',
  keys_refused: 'the API refuses the keys',
  permission_lost: 'the API refuses a permission',
  store_unreachable: 'the API does not answer',
  reading_failed: 'the last attempt to read failed',
  night_at_risk: 'a night may be late',
  night_missed: 'a night did not happen in time',
  night_failed: 'a night failed',
  run_missed: 'a scheduled run did not happen',
  run_failed: 'a scheduled run failed',
  schedule_paused: 'a schedule is paused',
  day_restated: 'earlier days have a revision',
  day_unfinished: 'a journal was posted and not given out',
  shape_changed: 'fields of the API changed',
  disk_low: 'the disk is almost full',
  delivery_failed: 'a channel cannot be reached',
  backup_old: 'the backup is old',
  night_early: 'nights start before the day is over',
  journal_held: 'a journal is held back',
  day_changed: 'a booked day has changed',
  chart_changed: 'accounts changed',
  approval_waiting: 'a plan waits for an approval',
  write_parked: 'a plan needs somebody',
  drift: 'others changed what was pushed',
  reconciliation_due: 'a full reconciliation is due',
  discrepancy_clock: 'a discrepancy has to be reported',
  worker_missing: 'nothing starts what is due',
  role_missing: 'no worker has a role',
  work_stranded: 'work was begun, and no worker continues it',
  settings_not_applied: 'settings are not applied',
  log_long: 'the log beside the database is long',
} as const

export type NoticeKind = keyof typeof TITLES

/** One thing that somebody must know, or may want to, the same for every way of telling it. */
export interface Notice {
  kind: NoticeKind
  severity: Severity
  /** Null: it concerns the installation. */
  store: string | null
  stream: string | null
  /** `yyyy-MM-dd`. */
  day: string | null
  /** What else tells it from others of its kind: a plan, an audit, a schedule, a channel. */
  object: string | null
  /** At most 80 characters. */
  title: string
  /** Plain sentences without keys, people and records. */
  text: string
  next: readonly NextStep[]
  /** Since when; ISO, UTC. Null where nobody remembers. */
  since: string | null
  /** It came of a person's own command, which has told it: nobody is called. */
  wasTold?: true
  /** The same for whoever is called, where `text` names a record. */
  textOutside?: string
}

export interface NextStep {
  does: string
  command: string
}

type Told = Pick<Notice, 'kind' | 'severity' | 'text'> &
  Partial<
    Pick<
      Notice,
      'store' | 'stream' | 'day' | 'object' | 'next' | 'since' | 'wasTold' | 'textOutside'
    >
  >

export const noticeOf = ({
  kind,
  severity,
  text,
  store = null,
  stream = null,
  day = null,
  object = null,
  next = [],
  since = null,
  ...rest
}: Told): Notice => {
  const title = [store, TITLES[kind]].filter(part => part !== null).join(': ')
  const about = { store, stream, day, object, title: title.slice(0, 80) }
  return { kind, severity, ...about, text, next, since, ...rest }
}

const ORDER: readonly Severity[] = ['critical', 'warning', 'hint']

/** The worst first; of the same severity as they came. */
export const inOrder = (notices: readonly Notice[]): Notice[] =>
  notices.toSorted((one, other) => ORDER.indexOf(one.severity) - ORDER.indexOf(other.severity))

/** Whether somebody has to do something: the exit status is 3 then. */
export const needsSomebody = (notices: readonly Pick<Notice, 'severity'>[]): boolean =>
  notices.some(({ severity }) => severity !== 'hint')
