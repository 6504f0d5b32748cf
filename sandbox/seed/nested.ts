import { decimal } from '../values/money.ts'
import type { Catalog, Employee, Product } from './catalog.ts'
import type { Member } from './members.ts'
import type { Shop } from './stores.ts'

/** What the API nests into a transaction, as bytes, made once for each product, till and member. */
export interface Nested {
  product: readonly Uint8Array[]
  /** Who sold, and where: by employee, then terminal. */
  till(employee: number, terminal: number): Uint8Array
  buyer(member: Member): Uint8Array
}

export function makeNested(shop: Shop, catalog: Catalog): Nested {
  const buyers: Buffer[] = []
  const tills = catalog.employees.map(employee =>
    catalog.terminals.map(terminal => fieldsOf(tillOf(shop, employee, terminal))),
  )
  return {
    product: catalog.products.map(product => Buffer.from(JSON.stringify(nestedProduct(product)))),
    till: (employee, terminal) => tills[employee]![terminal]!,
    buyer: member => (buyers[member.number] ??= fieldsOf(buyerOf(member))),
  }
}

/** The fields of an object without its braces, and a comma behind them: others follow. */
const fieldsOf = (fields: object): Buffer => Buffer.from(`${JSON.stringify(fields).slice(1, -1)},`)

/** Reading: the nested seller carries its pin. Whoever stores transactions has to know. */
const tillOf = (
  { timeZone }: Shop,
  { id, firstName, lastName, pin }: Employee,
  terminalId: string,
): object => ({
  createdById: id,
  sellerId: id,
  seller: { id, firstName, lastName, pin },
  terminalId,
  sellerTerminalId: terminalId,
  timeZone,
})

const buyerOf = ({ id, firstName, lastName, consumerType }: Member): object => ({
  memberId: id,
  member: { id, firstName, lastName, consumerType },
})

const nestedProduct = ({ id, name, sku, category, brand, vendor, unitPrice }: Product): object => ({
  id,
  name,
  sku,
  categoryId: category.id,
  brandId: brand.id,
  vendorId: vendor.id,
  unitPrice: decimal(unitPrice),
  weightPerUnit: category.weighed ? 'FULL_GRAM' : 'EACH',
  cannabis: category.cannabis,
})
