import type { z } from 'zod'
import { suggest } from '../names.ts'
import { entriesAt, placeOf } from './places.ts'

/**
 * What a schema says of a configuration, in sentences with their place; values are never quoted.
 * `sayPlace` is for what stands in files of its own.
 */
export function explainIssues(
  schema: z.ZodType,
  issues: readonly z.core.$ZodIssue[],
  sayPlace: (path: readonly PropertyKey[]) => string = placeOf,
): string[] {
  return issues.flatMap(issue => {
    const place = sayPlace(issue.path)
    const where = place === '' ? '' : `${place} `
    if (issue.code === 'unrecognized_keys') return unknownEntries(schema, issue, place)
    if (issue.code === 'invalid_type' && issue.message.startsWith(LIBRARY_SAYS))
      return (
        (where === '' ? 'the file ' : where) +
        `is missing or not a ${KINDS[issue.expected] ?? issue.expected}`
      )
    return [`${where}${boundOf(issue) ?? issue.message}`, ...misspeltIn(schema, issue)].join('. ')
  })
}

/** What is meant instead, or where it belongs; and what there is. */
function unknownEntries(
  schema: z.ZodType,
  { path, keys }: z.core.$ZodIssueUnrecognizedKeys,
  place: string,
): string[] {
  const [known, atTheTop] = [entriesAt(schema, path), entriesAt(schema, [])]
  return keys.map(key => {
    const meant = atTheTop.includes(key)
      ? `${key} is a key of its own, beside stores. `
      : suggest(key, known)
    const where = place === '' ? 'the file' : place
    return `${where} has no entry ${key}. ${meant}Entries there are: ${known.join(', ')}`
  })
}

/** The beginning of what Zod says where the schema says nothing. */
const LIBRARY_SAYS = 'Invalid input'

/** As YAML's users call them. */
const KINDS: Readonly<Record<string, string>> = {
  array: 'list',
  object: 'section',
  int: 'whole number',
}

/** Of a number or a text that lies outside of what is possible, where the schema says nothing. */
function boundOf(issue: z.core.$ZodIssue): string | undefined {
  if (issue.code === 'too_small' && issue.message.startsWith('Too small'))
    return issue.origin === 'string'
      ? 'is empty'
      : `must be ${issue.inclusive === true ? 'at least' : 'more than'} ${issue.minimum}`
  if (issue.code === 'too_big' && issue.message.startsWith('Too big'))
    return `must be ${issue.inclusive === true ? 'at most' : 'less than'} ${issue.maximum}`
  return undefined
}

/** Of something that fits none of its forms: entries that none of them has. */
function misspeltIn(schema: z.ZodType, issue: z.core.$ZodIssue): string[] {
  if (issue.code !== 'invalid_union') return []
  return issue.errors.flat().flatMap(inner => {
    if (inner.code !== 'unrecognized_keys') return []
    const known = entriesAt(schema, [...issue.path, ...inner.path])
    return inner.keys.map(key => `It has no entry ${key}. ${suggest(key, known)}`.trimEnd())
  })
}
