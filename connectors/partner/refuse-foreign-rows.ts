import { TillageError } from '../../errors.ts'
import type { Stream } from '../stream.ts'
import type { Page } from './read-page.ts'
import type { StoreInfo } from './store-info.ts'

/**
 * A page with a record that says of itself that it is of another company, or shop, than the one
 * that answered is taken for none (INV-4, INV-13). What names nobody is not compared; where nobody
 * knows whose the keys are, all of a page are of one, or some are of another.
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
    const [first] = owners[field]
    const other = owners[field].find(owner => owner !== (own ?? first))
    if (other === undefined) continue
    const rest = own === undefined ? `of ${first}` : `the keys stand for ${own}`
    throw new TillageError(
      'ROWS_OF_ANOTHER_SHOP',
      `${path} answered records of ${field} ${other}, and ${rest}; nothing of that page was kept`,
      {
        remedy:
          'The window stays unproven. Ask the platform why this key is shown records ' +
          'of somebody else.',
      },
    )
  }
}
