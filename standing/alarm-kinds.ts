import { DAY_MS, HOUR_MS, MINUTE_MS } from '../calendar/days.ts'
import type { Notice } from './notice.ts'

/** What somebody is called for. */
export interface AlarmKind {
  severity: 'warning' | 'critical'
  /** It has to stand for so long first. */
  afterMs?: number
  /** What is the same thing under several names, one after the other. */
  family?: string
  /** What tells one such thing of a store from another; else there is one of a store. */
  by?: 'day' | 'object' | 'stream'
  /** Also as a hint, which changes no exit status. */
  evenHint?: true
  /** A clock that somebody has to stop: it waits for them at once, and calls near its end. */
  isClock?: true
}

const night = { family: 'night', by: 'day' } as const
const keys = { family: 'keys' } as const

/**
 * The kinds that call somebody, and when. What `status` shows besides is for whoever looks: it
 * either leads to one of these, or can wait until somebody looks.
 */
export const ALARM_KINDS = {
  night_at_risk: { severity: 'warning', ...night },
  night_missed: { severity: 'critical', ...night },
  night_failed: { severity: 'critical', ...night },
  journal_held: { severity: 'critical', by: 'day' },
  day_restated: { severity: 'warning', by: 'day', evenHint: true },
  unproven: { severity: 'critical', afterMs: DAY_MS, by: 'stream' },
  keys_refused: { severity: 'critical', ...keys },
  permission_lost: { severity: 'warning', ...keys },
  store_unreachable: { severity: 'warning', afterMs: 30 * MINUTE_MS },
  disk_low: { severity: 'critical' },
  approval_waiting: { severity: 'warning', by: 'object' },
  write_parked: { severity: 'critical', by: 'object' },
  shape_changed: { severity: 'warning', by: 'stream', evenHint: true },
  dead_letters: { severity: 'warning', by: 'stream' },
  reconciliation_due: { severity: 'warning' },
  discrepancy_clock: { severity: 'critical', by: 'object', isClock: true },
  schedule_paused: { severity: 'warning', afterMs: DAY_MS, by: 'object' },
  backup_old: { severity: 'warning' },
  delivery_failed: { severity: 'warning', afterMs: HOUR_MS, by: 'object' },
} as const satisfies Readonly<Record<string, AlarmKind>>

export type AlarmKindName = keyof typeof ALARM_KINDS

export const ALARM_KIND_NAMES = Object.keys(ALARM_KINDS) as AlarmKindName[]

/** By any word; undefined: nobody is called for it. */
export const alarmKind = (kind: string): AlarmKind | undefined =>
  (ALARM_KINDS as Readonly<Record<string, AlarmKind>>)[kind]

/** Whether somebody has to know of it: a hint is for whoever looks, unless it waits for them. */
export function needsPerson({ kind, severity }: Pick<Notice, 'kind' | 'severity'>): boolean {
  const { evenHint, isClock } = alarmKind(kind) ?? {}
  return severity !== 'hint' || evenHint === true || isClock === true
}
