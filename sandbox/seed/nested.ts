import { money } from '../values/money.ts'
import type { Catalog } from './catalog.ts'
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
  // Reading: the nested seller carries its pin. Whoever stores transactions has to know.
  const seller = catalog.employees.map(
    ({ id, firstName, lastName, pin }) =>
      `"createdById":"${id}","sellerId":"${id}","seller":{"id":"${id}","firstName":${JSON.stringify(firstName)},"lastName":${JSON.stringify(lastName)},"pin":"${pin}"},`,
  )
  const tills = seller.map(text =>
    catalog.terminals.map(terminal =>
      Buffer.from(
        `${text}"terminalId":"${terminal}","sellerTerminalId":"${terminal}","timeZone":"${shop.timeZone}",`,
      ),
    ),
  )
  return {
    product: catalog.products.map(product =>
      Buffer.from(
        `{"id":"${product.id}","name":${JSON.stringify(product.name)},"sku":"${product.sku}","categoryId":"${product.category.id}","brandId":"${product.brand.id}","vendorId":"${product.vendor.id}","unitPrice":${money(product.unitPrice)},"weightPerUnit":"${product.category.weighed ? 'FULL_GRAM' : 'EACH'}","cannabis":${product.category.cannabis}}`,
      ),
    ),
    till: (employee, terminal) => tills[employee]![terminal]!,
    buyer: member =>
      (buyers[member.number] ??= Buffer.from(
        `"memberId":"${member.id}","member":{"id":"${member.id}","firstName":${JSON.stringify(member.firstName)},"lastName":${JSON.stringify(member.lastName)},"consumerType":"${member.consumerType}"},`,
      )),
  }
}
