import { nearestName } from '../names.ts'

/**
 * Why stock is adjusted, as the lists of the states' systems have it (there: adjustment reason).
 * `reconcile.reasons` names others where a state has another list.
 */
export const REASONS: readonly string[] = [
  'audit',
  'mistake',
  'moisture_loss',
  'waste',
  'spoilage',
  'damage',
  'theft',
  'seizure',
  'under_review',
  'other',
]

/** What a reason may be, and whether whoever lost something must give one of them. */
export interface ReasonRules {
  reasons: readonly string[]
  isRequired: boolean
}

/** `Moisture loss` is `moisture_loss`. */
const keyOf = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '_')

/**
 * The reason of the list that somebody has written, or what is wrong with it. One that is not in
 * the list is taken as it stands, unless the list is the one that must be used.
 */
export function findReason(
  written: string,
  { reasons, isRequired }: ReasonRules,
): { reason: string } | { code: string; message: string } {
  if (written === '') return { reason: '' }
  const reason = reasons.find(one => keyOf(one) === keyOf(written))
  if (reason !== undefined) return { reason }
  if (!isRequired) return { reason: written.trim() }
  const near = nearestName(written, reasons)
  const hint = near === undefined ? '' : `; did you mean ${near}?`
  const message =
    `${JSON.stringify(written)} is not an adjustment reason${hint} ` +
    `There are: ${reasons.join(', ')} (reconcile.reasons)`
  return { code: 'REASON_UNKNOWN', message }
}
