import type { Amount } from '../../money/amount.ts'
import { multiply, ONE, roundToMicros, sum, toAmount } from '../../money/amount.ts'
import type { Fields } from '../../text/record-fields.ts'
import type { CatalogFacts } from './catalog-facts.ts'
import type { SaleItem, SaleLot } from './sale.ts'

/** What the cost of a line says of it. */
export type Cost = Pick<SaleItem, 'unitCost' | 'cogs' | 'costSource' | 'lotMissingSince'>

/** A line as far as its cost depends on it. */
export interface CostedLine {
  quantity: Amount
  batchId: string | undefined
  lots: readonly SaleLot[]
  restocked: boolean | undefined
}

/** Units drawn at one cost. */
interface Drawn {
  cost: Amount
  of: Amount
}

/** What the goods had cost: of the line itself, else of the lots that it was drawn from. */
export function costOf(wire: Fields, facts: CatalogFacts, line: CostedLine): Cost {
  const stated = toAmount(wire['unitCost']) ?? toAmount(wire['costPerUnit'])
  const drawn =
    line.lots.length > 0 ? line.lots : [{ batchId: line.batchId, quantity: line.quantity }]
  const costs = drawn.map(({ batchId, quantity }): Drawn | undefined => {
    const cost = stated ?? (batchId === undefined ? undefined : facts.batchCost(batchId))
    return cost === undefined ? undefined : { cost, of: multiply(quantity, cost) }
  })
  const quantity = sum(drawn.map(one => one.quantity))
  const known = {
    unitCost: costs.length === 1 ? costs[0]?.cost : averageOf(costs, quantity),
    lotMissingSince: missingSince(drawn, costs, facts),
  }
  const isUnknown = costs.includes(undefined)
  const knownSource = stated === undefined ? 'batch' : 'line'
  const costSource = isUnknown ? 'missing' : knownSource
  // The goods are not back in stock, so their cost, known or not, is not reversed either.
  if (line.restocked === false) return { ...known, cogs: 0n, costSource }
  return { ...known, cogs: isUnknown ? undefined : sum(costs.map(one => one!.of)), costSource }
}

function missingSince(
  drawn: readonly { batchId: string | undefined }[],
  costs: readonly (Drawn | undefined)[],
  facts: CatalogFacts,
): string | undefined {
  const unknown = drawn.flatMap(({ batchId }, index) =>
    batchId !== undefined && costs[index] === undefined ? [facts.batchMissingSince?.(batchId)] : [],
  )
  return unknown.find(since => since !== undefined)
}

/** To six places, as prices of units have them: an average need not end anywhere. */
function averageOf(costs: readonly (Drawn | undefined)[], quantity: Amount): Amount | undefined {
  if (quantity === 0n || costs.includes(undefined)) return undefined
  return roundToMicros((sum(costs.map(one => one!.of)) * ONE) / quantity)
}
