/**
 * The contract: every operation of the API's documentation, as data. The client, the sandbox, the OpenAPI document and
 * `tillage api` derive from it. Where the documentation is silent, the operation says so in `notShown`, with our reading.
 */
import { categories } from './categories.ts'
import type { Operation } from './operation.ts'

export const contract = { ...categories }

export type Contract = typeof contract
export type OperationId = keyof Contract

export const operations: readonly Operation[] = Object.values(contract)

/** One operation with its exact type. */
export const operation = <Id extends OperationId>(id: Id): Contract[Id] => contract[id]
