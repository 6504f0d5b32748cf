import type { Remark } from './exceptions.ts'
import type { AuditLine } from './lines.ts'
import type { Significance } from './summary.ts'

/** What the report as a whole says of it, and where it does not judge: why. */
export type Verdict =
  | { says: 'significant' | 'not significant' }
  | { says: 'not judged'; because: string }

interface VerdictFacts {
  lines: readonly AuditLine[]
  /** Packages and goods that the till does not know, so that nobody knows what they are worth. */
  unknown: number
  significance: readonly Significance[]
  isRuleKnown: boolean
  areSalesKnown: boolean
}

/** What is significant already stays so; that nothing is, takes a whole count that has values. */
export function verdictOf(facts: VerdictFacts): Verdict {
  if (facts.significance.some(({ isSignificant }) => isSignificant === true))
    return { says: 'significant' }
  const because = whyUnjudged(facts)
  return because === undefined ? { says: 'not significant' } : { says: 'not judged', because }
}

function whyUnjudged(facts: VerdictFacts): string | undefined {
  const { lines, unknown, significance, isRuleKnown, areSalesKnown } = facts
  const uncounted = lines.filter(({ count }) => count === undefined).length
  if (uncounted > 0)
    return uncounted === lines.length ? 'nothing was counted' : `${lotsOf(uncounted)} not counted`
  if (unknown > 0) return 'items that the till does not know have no value'
  if (lines.every(({ variance }) => variance === 0n)) return undefined
  if (!isRuleKnown) return 'no rule of a state is configured for this store (reconcile.states)'
  if (!areSalesKnown) return 'the sales of an average month are not known'
  if (significance.length === 0) return 'movements since the snapshot could not be proven'
  const unpriced = Math.max(...significance.map(one => one.unpriced))
  return unpriced > 0 ? `${lotsOf(unpriced)} that differ without a price` : undefined
}

export const lotsOf = (count: number): string =>
  count === 1 ? '1 lot' : `${count.toLocaleString('en-US')} lots`

/** Its codes among the exceptions. */
export const SIGNIFICANT = 'significant_discrepancy'
export const NOT_SIGNIFICANT = 'not_significant'
export const NOT_JUDGED = 'significance_not_judged'

/** The verdict as exceptions of the audit as a whole: a confirmation is held against them. */
export function verdictExceptions(
  verdict: Verdict,
  significance: readonly Significance[],
): Remark[] {
  if (verdict.says === 'not judged')
    return [{ severity: 'info', code: NOT_JUDGED, detail: `not judged: ${verdict.because}` }]
  if (verdict.says === 'not significant')
    return [{ severity: 'info', code: NOT_SIGNIFICANT, detail: 'not significant' }]
  return significance
    .filter(({ isSignificant }) => isSignificant === true)
    .map(({ basis, percent }) => ({
      severity: 'error',
      code: SIGNIFICANT,
      detail: `${percent} % of average monthly sales, at ${basis}`,
    }))
}
