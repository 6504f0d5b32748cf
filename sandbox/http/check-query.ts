import type { z } from 'zod'
import { invalid } from './api-error.ts'
import type { Query } from './parameters.ts'
import { unwrap } from './without-nulls.ts'

/**
 * Refuses (400) a parameter that is no value of its documented type, also where an operation does
 * not look at it. What is not documented is not looked at; nor are lists, which come in two ways.
 */
export function checkQuery({ shape }: z.ZodObject, query: Query): void {
  for (const [name, schema] of Object.entries(shape)) {
    const { type } = unwrap(schema as z.ZodType)
    if (type === 'array') continue
    // Each of them, although a repeated one counts once.
    const texts = [query[name] ?? []].flat()
    const isValue = (text: string): boolean =>
      (schema as z.ZodType).safeParse(valueOf(text, type)).success
    if (!texts.every(isValue))
      throw invalid(name, `${name} must be ${NAMES[type] ?? 'one of the documented values'}`)
  }
}

const NAMES: Readonly<Record<string, string>> = {
  number: 'a number in the range of its type',
  boolean: 'true or false',
}

/** As the schema has it; undefined where the text is no such value. */
function valueOf(text: string, type: string): unknown {
  if (type === 'boolean') return { true: true, false: false }[text] ?? text
  if (type !== 'number') return text
  return JSON_NUMBER.test(text) ? Number(text) : text
}

const JSON_NUMBER = /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/
