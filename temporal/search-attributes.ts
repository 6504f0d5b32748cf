import type { Client } from '@temporalio/client'
import { SEARCH_ATTRIBUTES } from '../workflows/search-attributes.ts'

/** `INDEXED_VALUE_TYPE_KEYWORD` of Temporal's API. */
const KEYWORD = 2

/**
 * Which of our search attributes the namespace lacks. A server that does not say counts as one
 * without any: work is found by its id then, as it was before there were such attributes.
 */
export async function findMissingAttributes({
  connection,
  options: { namespace },
}: Pick<Client, 'connection' | 'options'>): Promise<readonly string[]> {
  try {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({
      namespace,
    })
    return SEARCH_ATTRIBUTES.filter(name => Number(customAttributes[name]) !== KEYWORD)
  } catch {
    return SEARCH_ATTRIBUTES
  }
}

/** All or none: a start with an attribute that the namespace lacks is refused. */
export const hasSearchAttributes = async (
  client: Pick<Client, 'connection' | 'options'>,
): Promise<boolean> => (await findMissingAttributes(client)).length === 0
