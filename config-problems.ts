import type { z } from 'zod'
import { suggest } from './names.ts'

/** What a schema says of a configuration, in sentences with their place; values are never quoted. */
export function explainIssues(schema: z.ZodType, issues: readonly z.core.$ZodIssue[]): string[] {
  return issues.flatMap(issue => {
    const place = placeOf(issue.path)
    const where = place === '' ? '' : `${place} `
    if (issue.code === 'unrecognized_keys') {
      const known = entriesAt(schema, issue.path)
      return issue.keys.map(
        key =>
          `${place === '' ? 'the file' : place} has no entry ${key}. ${suggest(key, known)}Entries there are: ${known.join(', ')}`,
      )
    }
    if (issue.code === 'invalid_type')
      return `${where === '' ? 'the file ' : where}is missing or not a ${issue.expected}`
    return `${where}${issue.message}`
  })
}

const placeOf = (path: readonly PropertyKey[]): string =>
  path
    .map(part => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '')

/** The names of the entries that a section of the schema knows. */
function entriesAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let candidates = alternatives(schema)
  for (const part of path)
    candidates = candidates.flatMap(candidate => childAt(candidate, part)).flatMap(alternatives)
  return [
    ...new Set(candidates.flatMap(({ def }) => ('shape' in def ? Object.keys(def.shape) : []))),
  ]
}

/** Kinds of Zod's definitions, as far as this configuration uses them. */
type Definition =
  | { shape: Readonly<Record<string, Schema>> }
  | { innerType: Schema }
  | { in: Schema }
  | { element: Schema }
  | { valueType: Schema }
  | { options: readonly Schema[] }
  | { type: string }
interface Schema {
  def: Definition
}

/** What is inside of defaults and transformations; of a choice, each of its members. */
function alternatives(schema: unknown): Schema[] {
  const { def } = schema as Schema
  if ('innerType' in def) return alternatives(def.innerType)
  if ('in' in def) return alternatives(def.in)
  if ('options' in def) return def.options.flatMap(alternatives)
  return [schema as Schema]
}

function childAt({ def }: Schema, part: PropertyKey): Schema[] {
  if ('shape' in def) return [def.shape[String(part)]].filter(child => child !== undefined)
  if ('element' in def) return [def.element]
  return 'valueType' in def ? [def.valueType] : []
}
