import { alarmKind } from './alarm-kinds.ts'
import type { AlarmKind, AlarmKindName } from './alarm-kinds.ts'
import type { Notice } from './notice.ts'

/** A thing that somebody is called for, of which nothing leads to a person or a record. */
export interface Alarm extends Pick<
  Notice,
  'store' | 'stream' | 'day' | 'object' | 'title' | 'text' | 'next' | 'since'
> {
  /** Of the same thing the same: its kind's family, its store, its day or object. */
  key: string
  kind: AlarmKindName
  severity: 'warning' | 'critical'
}

/**
 * What of everything that is open somebody is called for by now, each thing once, the worst first.
 * Pure: `status` shows the same notices, so what calls stands there too (INV-11).
 */
export function openAlarms(notices: readonly Notice[], nowMs: number): Alarm[] {
  const found = notices.flatMap(notice => asAlarm(notice, nowMs) ?? [])
  const worstFirst = [
    ...found.filter(({ severity }) => severity === 'critical'),
    ...found.filter(({ severity }) => severity === 'warning'),
  ]
  const byKey = new Map<string, Alarm>()
  for (const alarm of worstFirst) if (!byKey.has(alarm.key)) byKey.set(alarm.key, alarm)
  return [...byKey.values()]
}

function asAlarm(notice: Notice, nowMs: number): Alarm | undefined {
  const rule = alarmKind(notice.kind)
  if (rule === undefined || !calls(rule, notice, nowMs)) return undefined
  const { family = notice.kind, by, severity } = rule
  const { store, stream, day, object, title, text, textOutside = text, next, since } = notice
  const key = JSON.stringify([family, store, by === undefined ? null : notice[by]])
  const kind = notice.kind as AlarmKindName
  const what = { store, stream, day, object, title, next, since }
  return { key, kind, severity, ...what, text: textOutside }
}

/** Whether it is one by itself, and stands for long enough. */
function calls(
  { afterMs = 0, evenHint }: AlarmKind,
  { severity, since, wasTold }: Notice,
  nowMs: number,
): boolean {
  if (wasTold === true || (severity === 'hint' && evenHint !== true)) return false
  return afterMs === 0 || (since !== null && Date.parse(since) + afterMs <= nowMs)
}
