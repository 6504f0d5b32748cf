import fc from 'fast-check'
import type { Arbitrary } from 'fast-check'
import type { z } from 'zod'
import { pathParameters } from '../../connectors/partner/contract/operation.ts'
import type { Operation } from '../../connectors/partner/contract/operation.ts'

/** Values that exist in the API that is asked, by the name of a parameter or field. */
export type Known = Readonly<Record<string, readonly (string | number)[]>>

interface Definition {
  innerType: z.ZodType
  element: z.ZodType
  options: readonly z.ZodType[]
}

/** Texts and numbers that programs trip over. */
const ODD_TEXTS = [
  '',
  ' ',
  '0',
  '-1',
  'null',
  'true',
  '../..',
  '%00',
  '\u0000',
  '\ud83c\udf3f',
  '__proto__',
  'constructor',
  "' OR 1=1 --",
  '<b>',
  '03/09/2026',
  'a'.repeat(5000),
]
const ODD_NUMBERS = [
  0,
  -1,
  1,
  0.1,
  1e-7,
  1e15,
  1e21,
  1e308,
  Number.MAX_SAFE_INTEGER,
  Number.MIN_SAFE_INTEGER,
  8_640_000_000_000_001,
]

const aText: Arbitrary<string> = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.string({ unit: 'grapheme', maxLength: 10 }),
  fc.constantFrom(...ODD_TEXTS),
)
const aWhole = fc.oneof(
  fc.integer({ min: 0, max: 100 }),
  fc.maxSafeInteger(),
  fc.constantFrom(...ODD_NUMBERS.filter(Number.isSafeInteger)),
)
const aNumber = fc.oneof(
  fc.double({ min: 0, max: 1000, noNaN: true }),
  aWhole,
  fc.constantFrom(...ODD_NUMBERS),
)
const anything: Arbitrary<unknown> = fc.oneof(
  aText,
  aNumber,
  fc.boolean(),
  fc.constant(null),
  fc.constant([]),
  fc.constant({}),
  fc.jsonValue({ maxDepth: 2 }),
)

/** Something that is already there, most of the time, so that more than 404 is seen. */
function knownOr<T>(
  known: Known,
  name: string,
  otherwise: Arbitrary<T>,
): Arbitrary<T | string | number> {
  const values = known[name.replace(/s$/, '')] ?? known[name]
  return values === undefined || values.length === 0
    ? otherwise
    : fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...values) }, otherwise)
}

type Making = (schema: z.ZodType, known: Known, name: string, depth: number) => Arbitrary<unknown>

const inner: Making = (schema, known, name, depth) =>
  fitting(definitionOf(schema).innerType, known, name, depth)
const definitionOf = (schema: z.ZodType): Definition => schema.def as unknown as Definition

/** The types that the contract is written in. */
const MAKERS: Readonly<Record<string, Making>> = {
  optional: inner,
  default: inner,
  nullable: (schema, known, name, depth) => fc.option(inner(schema, known, name, depth)),
  object: (schema, known, _, depth) =>
    fittingObject((schema as z.ZodObject<Record<string, z.ZodType>>).shape, known, depth),
  array: (schema, known, name, depth) =>
    fc.array(fitting(definitionOf(schema).element, known, name, depth + 1), { maxLength: 2 }),
  union: (schema, known, name, depth) =>
    fc.oneof(...definitionOf(schema).options.map(option => fitting(option, known, name, depth))),
  enum: schema => fc.constantFrom(...(schema as z.ZodEnum).options),
  string: (_, known, name) => knownOr(known, name, aText),
  number: schema => ((schema as z.ZodNumber).format === null ? aNumber : aWhole),
  boolean: () => fc.boolean(),
  file: () =>
    fc
      .tuple(fc.uint8Array({ maxLength: 50 }), aText)
      .map(([bytes, fileName]) => new File([Uint8Array.from(bytes)], fileName.slice(0, 20))),
  unknown: () => anything,
}

/**
 * Values that a schema takes. Deep objects have their required fields only, so that a resource of
 * sixty fields stays small.
 */
export function fitting(schema: z.ZodType, known: Known, name = '', depth = 0): Arbitrary<unknown> {
  const make = MAKERS[schema.type]
  if (make === undefined) throw new Error(`no values for a schema of type ${schema.type}`)
  return make(schema, known, name, depth)
}

function fittingObject(
  shape: Readonly<Record<string, z.ZodType>>,
  known: Known,
  depth: number,
): Arbitrary<unknown> {
  const names = Object.keys(shape)
  const required = names.filter(
    name => shape[name]!.type !== 'optional' && shape[name]!.type !== 'default',
  )
  const others = names.filter(name => !required.includes(name))
  return fc
    .subarray(others, { maxLength: Math.min(others.length, depth > 1 ? 1 : 8) })
    .chain(chosen =>
      fc.record(
        Object.fromEntries(
          [...required, ...chosen].map(name => [
            name,
            fitting(shape[name]!, known, name, depth + 1),
          ]),
        ),
      ),
    )
}

/** The same with one field, at some depth, missing or replaced by whatever else JSON can hold. */
export const spoiled = (fit: Arbitrary<unknown>): Arbitrary<unknown> =>
  fc
    .tuple(fit, fc.array(fc.nat(), { maxLength: 3 }), fc.oneof(anything, fc.constant(undefined)))
    .map(([value, path, other]) => replaceAt(value, path, other))

function replaceAt(value: unknown, [step, ...rest]: readonly number[], other: unknown): unknown {
  if (step === undefined || typeof value !== 'object' || value === null || value instanceof File)
    return other
  const names = Object.keys(value)
  if (names.length === 0) return other
  const name = names[step % names.length]!
  const changed = replaceAt((value as Record<string, unknown>)[name], rest, other)
  return Array.isArray(value)
    ? value.map((item: unknown, at) => (at === Number(name) ? changed : item))
    : { ...value, [name]: changed }
}

/** Bodies that are not even JSON, or deeper than anybody needs. */
export const brokenJson: Arbitrary<string> = fc.oneof(
  fc.string(),
  fc.json().map(text => text.slice(0, -1)),
  fc.constantFrom(
    '[',
    '{"a":',
    '"',
    'NaN',
    '{"a":1e400}',
    '{"__proto__":{"x":1}}',
    '['.repeat(100_000),
    `${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}`,
  ),
)

/** Parameters of the path and of the query, mostly such as fit. */
export function parameters(
  operation: Operation,
  known: Known,
): Arbitrary<Record<string, string | string[]>> {
  const query = (operation.query?.shape ?? {}) as Record<string, z.ZodType>
  const asText = (value: unknown): string | string[] =>
    Array.isArray(value) ? value.map(String) : String(value)
  const segment = aText.filter(text => !['', '.', '..'].includes(text))
  const inPath = pathParameters(operation.path).map(
    name => [name, knownOr(known, name, segment).map(String)] as const,
  )
  const value = (schema: z.ZodType, name: string): Arbitrary<unknown> =>
    fc.oneof({ weight: 4, arbitrary: fitting(schema, known, name) }, aText)
  const inQuery = Object.entries(query).map(
    ([name, schema]) => [name, value(schema, name).map(asText)] as const,
  )
  return fc.record(Object.fromEntries<Arbitrary<string | string[]>>([...inPath, ...inQuery]), {
    requiredKeys: inPath.map(([name]) => name),
  })
}
