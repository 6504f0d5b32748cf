import { TillageError } from '../../errors.ts'
import type { Stream } from '../stream.ts'
import type { Page } from './read-page.ts'
import type { StoreInfo } from './store-info.ts'

/**
 * A page with a record that says of itself that it is of another company, or shop, than the one
 * that answered is taken for none (INV-4, INV-13). What names nobody is not compared.
 */
export function refuseForeignRows(
  { path }: Stream,
  { owners }: Pick<Page, 'owners'>,
  shop: StoreInfo | undefined,
): void {
  for (const [field, own] of [
    ['companyId', shop?.companyId],
    ['shopId', shop?.shopId],
  ] as const) {
    const other = own === undefined ? undefined : owners[field].find(owner => owner !== own)
    if (other === undefined) continue
    throw new TillageError(
      'ROWS_OF_ANOTHER_SHOP',
      `${path} answered records of ${field} ${other}, and the keys stand for ${own}; ` +
        'nothing of that page was kept',
      {
        remedy:
          'The window stays unproven. Ask the platform why this key is shown records ' +
          'of somebody else.',
      },
    )
  }
}
