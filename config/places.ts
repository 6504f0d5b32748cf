import type { z } from 'zod'

/** Kinds of Zod's definitions, as far as this configuration uses them. */
type Definition =
  | { shape: Readonly<Record<string, z.core.$ZodType>> }
  | { innerType: z.core.$ZodType }
  | { in: z.core.$ZodType }
  | { element: z.core.$ZodType }
  | { valueType: z.core.$ZodType }
  | { options: readonly z.core.$ZodType[] }
  | { type: string }

const definitionOf = (schema: z.core.$ZodType): Definition => (schema as z.ZodType).def

/** `stores[0].partnerKey` */
export const placeOf = (path: readonly PropertyKey[]): string =>
  path
    .map(part => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '')

/** What a schema says of a place: of a choice each of its members, with and without defaults. */
export const schemasAt = (
  schema: z.core.$ZodType,
  path: readonly PropertyKey[],
): z.core.$ZodType[] =>
  path.reduce(
    (found, part) => found.flatMap(one => childAt(one, part)).flatMap(layersOf),
    layersOf(schema),
  )

/** The names of the entries that a section of the schema knows. */
export const entriesAt = (schema: z.core.$ZodType, path: readonly PropertyKey[]): string[] => [
  ...new Set(schemasAt(schema, path).flatMap(entriesOf)),
]

/** A schema with what is inside of its defaults and transformations, and each of its choices. */
export function layersOf(schema: z.core.$ZodType): z.core.$ZodType[] {
  return [schema, ...withinOf(definitionOf(schema)).flatMap(layersOf)]
}

function withinOf(def: Definition): readonly z.core.$ZodType[] {
  if ('innerType' in def) return [def.innerType]
  if ('in' in def) return [def.in]
  return 'options' in def ? def.options : []
}

const entriesOf = (schema: z.core.$ZodType): string[] =>
  childrenOf(schema).flatMap(([name]) => (name === EACH || name === ANY_NAME ? [] : [name]))

const EACH = '[]'
const ANY_NAME = '*'

/** What stands right below a schema, by name: each entry of a list, or of any name, as one. */
export function childrenOf(schema: z.core.$ZodType): [name: string, child: z.core.$ZodType][] {
  const def = definitionOf(schema)
  if ('shape' in def) return Object.entries(def.shape)
  if ('element' in def) return [[EACH, def.element]]
  return 'valueType' in def ? [[ANY_NAME, def.valueType]] : []
}

function childAt(schema: z.core.$ZodType, part: PropertyKey): z.core.$ZodType[] {
  return childrenOf(schema)
    .filter(([name]) => name === EACH || name === ANY_NAME || name === part)
    .map(([, child]) => child)
}
