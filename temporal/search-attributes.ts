import type { Client } from '@temporalio/client'
import { SEARCH_ATTRIBUTES } from '../workflows/start-facts.ts'
import { DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, UNAVAILABLE, codeOf } from './grpc-codes.ts'

/** `INDEXED_VALUE_TYPE_KEYWORD` of Temporal's API. */
const KEYWORD = 2
const ANSWERS_IN_MS = 30_000
/** Any other refusal is one of a server without this part of its API, or that keeps it from us. */
const IS_AWAY = [UNAVAILABLE, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED]

/**
 * Which of our search attributes the namespace lacks. A server that does not say counts as one
 * without any: work is found by its id then, as it was before there were such attributes.
 */
export async function findMissingAttributes({
  connection,
  options: { namespace },
}: Pick<Client, 'connection' | 'options'>): Promise<readonly string[]> {
  const ask = () => connection.operatorService.listSearchAttributes({ namespace })
  try {
    const { customAttributes } = await connection.withDeadline(Date.now() + ANSWERS_IN_MS, ask)
    return SEARCH_ATTRIBUTES.filter(name => Number(customAttributes[name]) !== KEYWORD)
  } catch (error) {
    if (IS_AWAY.some(code => code === codeOf(error))) throw error
    return SEARCH_ATTRIBUTES
  }
}

/** All or none: a start with an attribute that the namespace lacks is refused. */
export const hasSearchAttributes = async (
  client: Pick<Client, 'connection' | 'options'>,
): Promise<boolean> => (await findMissingAttributes(client)).length === 0
