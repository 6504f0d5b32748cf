import { z } from 'zod'
import { streams } from '../../connectors/partner/streams/index.ts'
import { datasetsOf } from '../../exports/datasets.ts'
import { FILE_FORMATS } from '../../exports/formats/formats.ts'
import { JOURNAL_FORMATS } from '../../exports/journal/settings.ts'
import { mustBeOneOf } from '../../names.ts'

/** A time of day, `HH:mm`. */
const LIKE = 'must be a time like "02:00", in quotes'
export const clock = z.string(LIKE).regex(/^([01]\d|2[0-3]):[0-5]\d$/, LIKE)
export const every = z.enum(['daily', 'weekly', 'monthly', 'never'], {
  error: 'must be daily, weekly (on Sundays), monthly (on the first) or never',
})
/** Stores do not all start in the same second. */
export const jitterMinutes = z.number().min(0).max(60).default(2)
const DATASETS = datasetsOf(streams).map(({ name }) => name)
const oneOf = <const Names extends readonly string[]>(names: Names) =>
  z.enum(names, { error: mustBeOneOf(names) })

const nightly = z.strictObject({
  every: z.enum(['daily', 'never'], { error: 'must be daily or never' }).default('daily'),
  at: clock.default('03:30'),
  /** When the books of the day must be ready. */
  deadline: clock.optional(),
  /** Datasets of the business day; none = read and prove it only. */
  export: z.array(oneOf(DATASETS)).default([]),
  formats: z.array(oneOf(FILE_FORMATS)).min(1, 'names no format').default(['parquet', 'csv']),
  /** Formats of the day's journal. */
  journal: z.array(oneOf(JOURNAL_FORMATS)).default([]),
  /** A day that is not proven is tried again for this long. */
  giveUpAfterHours: z.number().positive().max(23).default(20),
  jitterMinutes,
})

/** Re-reads what the lookback does not reach, and so measures what it missed. */
const sweep = z.strictObject({
  every: every.default('weekly'),
  at: clock.default('04:30'),
  days: z.number().int().positive().max(400).default(60),
  jitterMinutes,
})

/** Of a check; more would not fit into one history. */
export const MOST_WINDOWS = 500
/** Of a check; each is a request. */
export const MOST_RECORDS = 1000

/**
 * Compares a sample of windows and of single records of each stream, drawn at random, with the API.
 */
const check = z.strictObject({
  every: every.default('daily'),
  at: clock.default('05:30'),
  windows: z.number().int().min(1).max(MOST_WINDOWS).default(5),
  records: z.number().int().min(0).max(MOST_RECORDS).default(20),
  jitterMinutes,
})

/**
 * A snapshot of each store with its count sheets, rolled forward from the one before; only where
 * somebody may approve a reconciliation.
 */
const audit = z.strictObject({
  every: every.default('weekly'),
  at: clock.default('02:00'),
  jitterMinutes,
})

/** Removes what `retention:` does not keep; only where something of it says how long. */
const upkeep = z.strictObject({
  every: every.default('daily'),
  at: clock.default('06:30'),
  jitterMinutes,
})

/** The `schedules:` section of tillage.yaml: what runs when, in each store's own zone. */
export const scheduleSettings = z.strictObject({
  nightly: nightly.prefault({}),
  sweep: sweep.prefault({}),
  check: check.prefault({}),
  audit: audit.prefault({}),
  upkeep: upkeep.prefault({}),
})
