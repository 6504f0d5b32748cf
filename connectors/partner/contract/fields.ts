/**
 * How fields, parameters, bodies and answers are written down: short, so that a resource of sixty
 * fields can be read.
 */
import { z } from 'zod'
import type { Envelope } from './operation.ts'

type Fields<N extends readonly string[], S extends z.ZodType> = { [Name in N[number]]: S }

const fields =
  <S extends z.ZodType>(schema: S) =>
  <const N extends readonly string[]>(...names: N): Fields<N, S> =>
    Object.fromEntries(names.map(name => [name, schema])) as Fields<N, S>

const anInt32 = z.int32().meta({ format: 'int32' })
const anInt64 = z.number().int().meta({ format: 'int64' })
const aTimestamp = z.number().int().meta({ format: 'int64', description: 'epoch milliseconds' })
const aDouble = z.number().meta({ format: 'double' })

/**
 * Optional fields of one documented type; everything is optional unless the documentation says
 * (req).
 */
export const text = fields(z.string().optional())
export const texts = fields(z.array(z.string()).optional())
export const int32 = fields(anInt32.optional())
export const int64 = fields(anInt64.optional())
export const timestamp = fields(aTimestamp.optional())
export const number = fields(z.number().optional())
export const double = fields(aDouble.optional())
export const doubles = fields(z.array(aDouble).optional())
export const flag = fields(z.boolean().optional())

/** The same with a documented default. */
export const yes = fields(z.boolean().default(true))
export const no = fields(z.boolean().default(false))
export const zero = fields(z.number().default(0))
export const zeroInt32 = fields(anInt32.default(0))
export const emptyText = fields(z.string().default(''))
export const textOr = (byDefault: string): z.ZodDefault<z.ZodString> =>
  z.string().default(byDefault)

/** (req) */
export const required = {
  text: fields(z.string()),
  texts: fields(z.array(z.string())),
  int64: fields(anInt64),
  file: fields(z.file()),
}

/** A documented enumeration; its default, if it has one, in second place. */
export function choice<const V extends readonly [string, ...string[]]>(
  values: V,
): z.ZodOptional<z.ZodEnum<{ [K in V[number]]: K }>>
export function choice<const V extends readonly [string, ...string[]]>(
  values: V,
  byDefault: V[number],
): z.ZodDefault<z.ZodEnum<{ [K in V[number]]: K }>>
export function choice(values: readonly [string, ...string[]], byDefault?: string): z.ZodType {
  const schema = z.enum(values)
  return byDefault === undefined ? schema.optional() : schema.default(byDefault)
}

/** A list of values of a documented enumeration. */
export const choices = <const V extends readonly [string, ...string[]]>(
  values: V,
): z.ZodOptional<z.ZodArray<z.ZodEnum<{ [K in V[number]]: K }>>> =>
  z.array(z.enum(values)).optional()

const OPEN = { 'x-not-shown': 'An enumeration whose values are not shown: any text is taken.' }

/**
 * Enumerated in the documentation, but without its values: any text, with the documented default if
 * there is one.
 */
export const openChoice = fields(z.string().meta(OPEN).optional())
export const openChoiceOr = (byDefault: string): z.ZodDefault<z.ZodString> =>
  z.string().meta(OPEN).default(byDefault)

/** Objects whose fields are not shown: whatever they hold is kept. */
const somethingOpen = z
  .looseObject({})
  .meta({ 'x-not-shown': 'The fields of this object are not shown: any are taken and kept.' })
export const open = fields(somethingOpen.optional())
export const openList = fields(
  z
    .array(
      z.unknown().meta({
        'x-not-shown': 'What the items of this list hold is not shown: anything is taken and kept.',
      }),
    )
    .optional(),
)

/** A field that holds one, or a list, of another resource. */
export const one = <S extends z.ZodType>(schema: S): z.ZodOptional<S> => schema.optional()
export const many = <S extends z.ZodType>(schema: S): z.ZodOptional<z.ZodArray<S>> =>
  z.array(schema).optional()

/**
 * A named record of the API. Undeclared fields are kept: nobody promised that there are no others.
 */
export const resource = <const S extends z.core.$ZodLooseShape>(
  id: string,
  shape: S,
  notShown?: string,
): z.ZodObject<S, z.core.$loose> =>
  z.looseObject(shape).meta(notShown === undefined ? { id } : { id, 'x-not-shown': notShown })

type WithoutDefaults<S> = {
  [K in keyof S]: S[K] extends z.ZodDefault<infer T extends z.ZodType> ? z.ZodOptional<T> : S[K]
}

/** The same fields as an update has them: what is left out is not set to its default. */
export const withoutDefaults = <S extends Readonly<Record<string, z.ZodType>>>(
  shape: S,
): WithoutDefaults<S> =>
  Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => [
      name,
      schema instanceof z.ZodDefault ? (schema.unwrap() as z.ZodType).optional() : schema,
    ]),
  ) as WithoutDefaults<S>

/** The body of an update of a resource. */
export const update = <S extends Readonly<Record<string, z.ZodType>>>(
  schema: z.ZodObject<S>,
): z.ZodObject<WithoutDefaults<S>, z.core.$loose> =>
  resource(`${schema.meta()?.id}Update`, withoutDefaults(schema.shape))

/** Common record fields (Conventions), and those of records that belong to a company only. */
export const companyRecord = {
  ...text('id', 'companyId'),
  ...timestamp('created', 'modified'),
  ...flag('deleted', 'updated'),
}
export const shopRecord = { ...companyRecord, ...text('shopId') }

/**
 * Query parameters. `start` or `skip`, as the endpoint's documentation names it; defaults 0 and 100
 * (Limits).
 */
export const paging = <const O extends 'start' | 'skip'>(
  offset: O,
): { [K in O | 'limit']: z.ZodDefault<z.ZodNumber> } =>
  ({ [offset]: anInt32.default(0), limit: anInt32.default(100) }) as {
    [K in O | 'limit']: z.ZodDefault<z.ZodNumber>
  }

const aDay = z.string().meta({ description: 'a day as MM/dd/yyyy' }).optional()

/** Date ranges, by endpoint family (Limits, rule 2). */
export const days = { startDate: aDay, endDate: aDay }
export const milliseconds = timestamp('startDate', 'endDate')

/** `cuid`, which is taken as a header too (Authentication, rule 4). */
export const cuid = {
  cuid: z
    .string()
    .meta({ description: 'consumer user id; may also be sent as the header cuid' })
    .optional(),
}

export const query = <const S extends z.core.$ZodLooseShape>(shape: S): z.ZodObject<S> =>
  z.object(shape)

/** Bodies. */
export const json = <S extends z.ZodType>(schema: S): { kind: 'json'; schema: S } => ({
  kind: 'json',
  schema,
})
export const multipart = <S extends z.ZodObject>(schema: S): { kind: 'multipart'; schema: S } => ({
  kind: 'multipart',
  schema,
})

/** Answers. */
export const record = <S extends z.ZodType>(schema: S): { kind: 'record'; schema: S } => ({
  kind: 'record',
  schema,
})
/**
 * Actions declare a success without a body (Errors, rule 2); where their answer is not shown we
 * expect the record, or nothing.
 */
export const recordOrNone = <S extends z.ZodType>(
  schema: S,
): { kind: 'record'; schema: S; orNone: true } => ({ kind: 'record', schema, orNone: true })
export const array = <S extends z.ZodType>(of: S): { kind: 'array'; of: S } => ({
  kind: 'array',
  of,
})
export const values = <S extends z.ZodType>(of: S): { kind: 'values'; of: S } => ({
  kind: 'values',
  of,
})
export const none = { kind: 'none' } as const
export const binary = (...types: string[]): { kind: 'binary'; types: string[] } => ({
  kind: 'binary',
  types,
})

interface PageOf<S extends z.ZodType> {
  kind: 'page'
  of: S
  envelopes: readonly Envelope[]
  cap?: number
}

/**
 * A SearchResult. Which of its two shapes an endpoint has is shown for employees and terminals
 * alone.
 */
export const page = <S extends z.ZodType>(of: S, cap?: number): PageOf<S> => ({
  kind: 'page',
  of,
  envelopes: ['values', 'searchResult'],
  ...(cap === undefined ? {} : { cap }),
})
export const valuesPage = <S extends z.ZodType>(of: S): PageOf<S> => ({
  kind: 'page',
  of,
  envelopes: ['values'],
})
