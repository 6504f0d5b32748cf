import { amountText, magnitude, sum } from '../../money/amount.ts'
import { describeVerdict, differFromState, differingPackages } from './cover.ts'
import type { CoverFacts } from './cover.ts'
import { describeCoverage } from './coverage.ts'
import { totalOf, worthOf } from './lines.ts'
import type { AuditLine } from './lines.ts'

/**
 * The whole result in a sentence: `28 of 28 lots counted in Quarantine; one is 1 short, 8.38 USD at
 * cost; not significant.`
 */
export function resultOf(facts: CoverFacts): string {
  const { coverage, verdict } = facts
  return `${[
    describeCoverage(coverage),
    ...differencesOf(facts),
    ...foundOf(facts),
    ...againstState(facts),
    describeVerdict(verdict),
  ].join('; ')}.`
}

function differencesOf({ lines, settings }: CoverFacts): string[] {
  const counted = lines.filter(({ count }) => count !== undefined)
  if (counted.length === 0) return []
  if (counted.some(({ variance }) => variance === undefined))
    return ['no difference is stated, since movements since the snapshot could not be proven']
  const differ = counted.filter(({ variance }) => variance !== 0n)
  if (differ.length === 0) return ['all agree with the records']
  return [`${howMany(differ)}, ${worth(differ, settings.currency)}`]
}

function howMany(differ: readonly AuditLine[]): string {
  const short = differ.filter(({ variance }) => variance! < 0n)
  if (differ.length > 1)
    return `${differ.length} differ: ${[
      ...(short.length > 0 ? [`${short.length} short`] : []),
      ...(short.length < differ.length ? [`${differ.length - short.length} over`] : []),
    ].join(', ')}`
  const { variance, lot } = differ[0]!
  const amount = `${amountText(magnitude(variance!), 0)}${lot.unit === 'GRAM' ? ' g' : ''}`
  return `one is ${amount} ${short.length === 1 ? 'short' : 'over'}`
}

/** All taken as positive: too many of one lot do not make up for too few of another. */
function worth(differ: readonly AuditLine[], currency: string): string {
  const values = differ.map(line => worthOf(line, 'cost'))
  const known = values.flatMap(value => (value === undefined ? [] : [magnitude(value)]))
  const amount = `${amountText(sum(known))} ${currency} at cost`
  if (totalOf(values) !== undefined) return amount
  return known.length === 0 ? 'of unknown cost' : `${amount} and more of unknown cost`
}

function foundOf({ counts: { finds } }: CoverFacts): string[] {
  const tagged = finds.filter(({ tag }) => tag !== '').length
  const untagged = finds.length - tagged
  return [
    ...(tagged > 0 ? [`${tagged} found with a package tag that the till does not know`] : []),
    ...(untagged > 0 ? [`${untagged} found without a package tag`] : []),
  ]
}

function againstState(facts: CoverFacts): string[] {
  if (facts.state === undefined) return []
  const differ = differingPackages(facts).length
  if (differ === 0) return ["nothing differs from the state's list"]
  return [differFromState(differ)]
}
