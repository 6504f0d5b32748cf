import { z } from 'zod'
import { mustBeOneOf } from '../names.ts'
import { approverList } from '../outbound/approval.ts'
import { CATALOGS } from './operation.ts'
import { columnsOf } from './plan/columns.ts'
import { CREATABLE } from './plan/store-question.ts'

/** A time of day, `HH:mm`. */
const clock = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time like "02:00"')
const FIELDS = [...new Set(CATALOGS.flatMap(catalog => columnsOf(catalog).map(({ name }) => name)))]

const catalogFile = z.strictObject({
  catalog: z.enum(CATALOGS, { error: `must be ${CATALOGS.join(' or ')}` }),
  /** A file, or a folder whose newest file counts; relative to tillage.yaml. */
  path: z.string().min(1, 'is empty'),
  /** Ids of stores; without it all. */
  stores: z.array(z.string()).optional(),
  create: z.array(z.enum(CREATABLE, { error: mustBeOneOf(CREATABLE) })).default([]),
})

/** What is approved without a person: nothing, unless it is said here. Guarded operations never. */
const policy = z.strictObject({
  /** Columns that may change. */
  fields: z
    .array(
      z.string().refine(name => FIELDS.includes(name), { error: 'is not a column of a catalog' }),
    )
    .min(1, 'names no column'),
  /** A plan with more operations waits for a person. */
  operations: z.number().int().min(1).max(10_000).default(20),
  /** A price that moves by more waits for a person; more than 30 always does. */
  priceChangePercent: z.number().int().min(0).max(30).default(10),
  /** New products and vendors. */
  creations: z.boolean().default(false),
})

/** The `push:` section of tillage.yaml. */
export const pushSettings = z.strictObject({
  /** How often the files are looked at; one that did not change makes no plan. */
  every: z
    .enum(['daily', 'weekly', 'monthly', 'never'], {
      error: 'must be daily, weekly (on Sundays), monthly (on the first) or never',
    })
    .default('daily'),
  at: clock.default('05:00'),
  jitterMinutes: z.number().min(0).max(60).default(2),
  files: z.array(catalogFile).default([]),
  /** Only these may approve; without it, anybody who gives a name. */
  approvers: approverList.optional(),
  policy: policy.optional(),
  /** Columns of your own in catalog files, which nobody reads. */
  ignoreColumns: z.array(z.string().min(1)).default([]),
})

export type PushSettings = z.infer<typeof pushSettings>
export type PushPolicy = z.infer<typeof policy>
