import { z } from 'zod'
import { approverList } from '../outbound/approval.ts'
import { REASONS } from './reasons.ts'
import { rulesOfStates, STATES, statesOf } from './state-rules.ts'
import type { Rules } from './state-rules.ts'

const amount = z.string().regex(/^\d+(\.\d{1,2})?$/, 'must be an amount in quotes, like "100.00"')

const rule = z.strictObject({
  from: z.iso.date({ error: 'must be a day, like 2021-01-01' }),
  source: z.string().min(1, 'is empty'),
})

/** Of a list in a cell's validation. */
const MOST_IN_A_LIST = 255

/** How much a count may differ before it is more than an inaccuracy of counting. */
const tolerances = z.strictObject({
  eachQty: z.number().min(0).default(0),
  gramPercent: z.number().min(0).max(100).default(0.5),
})

/** `reconcile:` in tillage.yaml. */
const asWritten = z.strictObject({
  approvers: approverList.default([]),
  /** Above this, the sum of |value_delta| of a plan, two different people must approve. */
  secondApproverOver: amount.default('100.00'),
  approvalValidSeconds: z.number().int().positive().default(86_400),
  /** For so long after an unclear outcome the history is searched. */
  patienceSeconds: z.number().min(0).max(3600).default(120),
  /** Columns of your own in counts files, which nobody reads. */
  ignoreColumns: z.array(z.string().min(1)).default([]),
  /** Sent as `employeeId`. */
  employeeId: z.string().min(1).optional(),
  /** Days that may lie between two full reconciliations. */
  maxDaysBetween: z.number().int().positive().default(30),
  tolerances: tolerances.prefault({}),
  /**
   * Adjustment reasons that counts may give: those of the state's system. Where they stand here, or
   * `states` does, a loss needs one of them.
   */
  reasons: z
    .array(z.string().trim().min(1))
    .min(1)
    .refine(list => list.join(',').length <= MOST_IN_A_LIST && !list.join('').includes(','), {
      error: `must have no commas and ${MOST_IN_A_LIST} characters in all: Excel takes no more`,
    })
    .optional(),
  /**
   * Whose rules are cited and judged by. Absent: of the state that the store's licence is of, where
   * its number says that; else of none.
   */
  states: z
    .array(z.enum(STATES, { error: `must be one of ${STATES.join(', ')}; others are configured` }))
    .optional(),
  /** Instead of what the states' rules say. */
  significantPercent: z
    .array(
      rule.extend({
        percent: z.number().positive().max(100),
        /** Of sales that the average month is taken from. */
        months: z.number().int().min(1).max(24),
      }),
    )
    .optional(),
  citations: z.array(rule.extend({ says: z.string() })).optional(),
  /** Hours within which authorities are told of a significant discrepancy, once it is confirmed. */
  noticeHours: z.number().positive().default(24),
  noticeSource: z.string().min(1, 'is empty').optional(),
  /** Business days within which discrepancies are reported where that is asked for. */
  reportBusinessDays: z.number().int().positive().default(10),
  reportSource: z.string().min(1, 'is empty').optional(),
  /** What stands above the signatures, below the sentence that says how much was counted. */
  attestation: z
    .string()
    .default('What this report says of what was counted is true to the best of our knowledge.'),
})

/** The `reconcile:` section of tillage.yaml. */
export const reconcileSettings = asWritten.transform(settings => ({
  ...settings,
  reasons: settings.reasons ?? REASONS,
  requiresReasons: settings.reasons !== undefined || settings.states !== undefined,
}))

export type ReconcileSettings = z.infer<typeof reconcileSettings>

/** Those of an audit, with the currency of its store. */
export type AuditSettings = ReconcileSettings & { currency: string }

/** The rules that hold for a store: what is configured, and otherwise those of its state. */
export function rulesFor(settings: ReconcileSettings, licence: string | undefined): Rules {
  const { significantPercent, citations, noticeSource, reportSource } = settings
  const ofStates = rulesOfStates(statesOf(settings.states, licence))
  return {
    significantPercent: significantPercent ?? ofStates.significantPercent,
    citations: citations ?? ofStates.citations,
    noticeSource: noticeSource ?? ofStates.noticeSource,
    reportSource: reportSource ?? ofStates.reportSource,
  }
}
