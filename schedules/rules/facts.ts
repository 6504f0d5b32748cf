import type { Frequency } from './calendars.ts'

/**
 * What a schedule does, in the terms of tillage.yaml: `apply` compares it, and `status` counts by
 * it.
 */
export interface ScheduleFacts {
  every: Frequency
  /** `HH:mm` in the zone. */
  at: string
  timeZone: string
  jitterMinutes: number
  /** Of nights: the business day's cut-off and when its books must be ready. */
  dayStartsAt?: string | undefined
  deadline?: string | undefined
  /** What it does, in the words of tillage.yaml. */
  does: Readonly<Record<string, string | number | readonly string[]>>
}

export interface FactChange {
  what: string
  old: string
  new: string
}

type Fact = string | number | readonly string[] | undefined

function show(value: Fact): string {
  const text = typeof value === 'object' ? value.join(', ') : String(value ?? '')
  return text === '' ? 'none' : text
}

/** What differs, as old -> new. */
export function changedFacts(before: ScheduleFacts, after: ScheduleFacts): FactChange[] {
  const flat = ({ does, ...rest }: ScheduleFacts): Record<string, Fact> => ({ ...rest, ...does })
  const [old, now] = [flat(before), flat(after)]
  return [...new Set([...Object.keys(old), ...Object.keys(now)])]
    .map(what => ({ what, old: show(old[what]), new: show(now[what]) }))
    .filter(change => change.old !== change.new)
}

/** `every day at 03:30 (America/Los_Angeles), ready by 05:00`. */
export function describeFacts({ every, at, timeZone, deadline }: ScheduleFacts): string {
  const when = {
    daily: 'every day',
    weekly: 'every Sunday',
    monthly: 'on the first of each month',
  }[every]
  return `${when} at ${at} (${timeZone})${deadline === undefined ? '' : `, ready by ${deadline}`}`
}
