import { z } from 'zod'
import { nameKey } from '../outbound/approval.ts'

const amount = z.string().regex(/^\d+(\.\d{1,2})?$/, 'must be an amount in quotes, like "100.00"')

/**
 * A rule with the day from which it holds and where it stands: rules change, and an audit is judged
 * by those of its day.
 */
const rule = z.strictObject({
  from: z.iso.date({ error: 'must be a day, like 2021-01-01' }),
  source: z.string().min(1, 'is empty'),
})

/**
 * California, as read in 2026; other states and later texts are configuration. The text does not
 * say whether sales count at cost or at retail: reports show both.
 */
const CALIFORNIA = {
  significantPercent: [{ from: '2021-01-01', source: '4 CCR 15034', percent: 3, months: 6 }],
  citations: [
    { from: '2021-01-01', source: '4 CCR 15051', says: 'reconcile at least every 30 days' },
    { from: '2021-01-01', source: '4 CCR 15424', says: 'result of each audit is kept' },
    { from: '2021-01-01', source: '4 CCR 15036', says: 'significant discrepancy: 24 hours' },
    { from: '2021-01-01', source: '4 CCR 15423', says: 'inventory documentation' },
    { from: '2021-01-01', source: '4 CCR 15037', says: 'records are kept for 7 years' },
  ],
}

/** How much a count may differ before it is more than an inaccuracy of counting. */
const tolerances = z.strictObject({
  eachQty: z.number().min(0).default(0),
  gramPercent: z.number().min(0).max(100).default(0.5),
})

/** `reconcile:` in tillage.yaml. */
export const reconcileSettings = z.strictObject({
  approvers: z
    .array(z.strictObject({ name: z.string().trim().min(1), role: z.string().trim().min(1) }))
    .default([])
    .refine(list => new Set(list.map(({ name }) => nameKey(name))).size === list.length, {
      error: 'names somebody twice',
    }),
  /** Above this, the sum of |value_delta| of a plan, two different people must approve. */
  secondApproverOver: amount.default('100.00'),
  approvalValidSeconds: z.number().int().positive().default(86_400),
  /** For so long after an unclear outcome the history is searched. */
  patienceSeconds: z.number().min(0).max(3600).default(120),
  /** Sent as `employeeId`. */
  employeeId: z.string().min(1).optional(),
  /** Days that may lie between two full reconciliations. */
  maxDaysBetween: z.number().int().positive().default(30),
  tolerances: tolerances.prefault({}),
  significantPercent: z
    .array(
      rule.extend({
        percent: z.number().positive().max(100),
        /** Of sales that the average month is taken from. */
        months: z.number().int().min(1).max(24),
      }),
    )
    .default(CALIFORNIA.significantPercent),
  citations: z.array(rule.extend({ says: z.string() })).default(CALIFORNIA.citations),
  /** Hours within which authorities are told of a significant discrepancy, once it is confirmed. */
  noticeHours: z.number().positive().default(24),
  /** The rule that says so: California's, unless the state of the stores has another. */
  noticeSource: z.string().min(1, 'is empty').default('4 CCR 15036'),
  /** Business days within which discrepancies are reported where that is asked for. */
  reportBusinessDays: z.number().int().positive().default(10),
  reportSource: z
    .string()
    .min(1, 'is empty')
    .default('where that is asked for (Alberta: retail handbook 4.9)'),
  attestation: z
    .string()
    .default(
      'We have counted the inventory of this store as stated, ' +
        'and what this report says is true to the best of our knowledge.',
    ),
})

export type ReconcileSettings = z.infer<typeof reconcileSettings>
