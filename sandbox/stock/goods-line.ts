import { textOf } from '../commerce/values.ts'
import { invalid } from '../http/api-error.ts'
import type { JsonRecord } from '../model/collection.ts'
import type { World } from '../model/world.ts'

/**
 * What a line of a count or a transfer is about: a batch, named in `batchField`, or a product, or
 * both if they agree. `place` is where the line stands in the request. Refused (400) where either
 * is unknown, or the batch is of another product.
 */
export function readGoods(
  { lists }: World,
  line: JsonRecord,
  place: string,
  batchField: string,
): { productId: string; batchId: string | undefined } {
  const batchId = textOf(line[batchField])
  const batch = batchId === undefined ? undefined : lists.batches.get(batchId)
  if (batchId !== undefined && batch === undefined)
    throw invalid(`${place}.${batchField}`, 'There is no such batch')
  const productId = line['productId'] ?? batch?.['productId']
  if (typeof productId !== 'string')
    throw invalid(`${place}.productId`, `${place}.productId is required`)
  if (lists.products.find(productId) === undefined)
    throw invalid(`${place}.productId`, 'There is no such product')
  if (batch !== undefined && batch['productId'] !== productId)
    throw invalid(`${place}.${batchField}`, 'The batch is of another product')
  return { productId, batchId }
}
