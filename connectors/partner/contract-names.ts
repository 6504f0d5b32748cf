import type { z } from 'zod'

/** Names that error bodies themselves have, and the headers that carry the keys. */
const NAMES_OF_ERRORS = [
  'field',
  'message',
  'errorType',
  'error',
  'errors',
  'status',
  'code',
  'timestamp',
  'path',
  'Authorization',
  'x-api-key',
]

let names: Promise<ReadonlySet<string>> | undefined

/**
 * Every name of a parameter or field in the contract, which is loaded for it the first time: a
 * process that only waits does without its six megabytes.
 */
export const contractNames = (): Promise<ReadonlySet<string>> => (names ??= collectAll())

async function collectAll(): Promise<ReadonlySet<string>> {
  const { operations } = await import('./contract/index.ts')
  const found = new Set(NAMES_OF_ERRORS)
  const seen = new Set<unknown>()
  for (const { path, query, body, answer } of operations) {
    for (const [, name] of path.matchAll(/\{(\w+)\}/g)) found.add(name!)
    const schemas = [query, body?.schema, 'of' in answer ? answer.of : undefined]
    if (answer.kind === 'record') schemas.push(answer.schema)
    for (const schema of schemas) collectNames(schema, found, seen)
  }
  return found
}

interface Definition {
  shape?: Record<string, z.ZodType>
  element?: z.ZodType
  innerType?: z.ZodType
  valueType?: z.ZodType
  options?: readonly z.ZodType[]
  getter?: () => z.ZodType
}

/** Walks a schema and all that is in it; each is looked at once, since they may hold themselves. */
function collectNames(schema: z.ZodType | undefined, found: Set<string>, seen: Set<unknown>): void {
  if (schema === undefined || seen.has(schema)) return
  seen.add(schema)
  const {
    shape = {},
    element,
    innerType,
    valueType,
    options = [],
    getter,
  } = schema.def as Definition
  for (const name of Object.keys(shape)) found.add(name)
  const inner = [...Object.values(shape), element, innerType, valueType, ...options, getter?.()]
  for (const one of inner) collectNames(one, found, seen)
}
