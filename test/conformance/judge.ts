import type { z } from 'zod'
import { isSuccess, readValue } from '../../connectors/partner/call.ts'
import type { Operation } from '../../connectors/partner/contract/operation.ts'
import type { PartnerAnswer } from '../../connectors/partner/request.ts'
import { TillageError } from '../../errors.ts'

/**
 * Something that an API did otherwise: than its documentation says, or than we read it where it
 * says nothing.
 */
export interface Problem {
  operation: string
  asked: string
  /** The place and the kind, never a value (INV-10). */
  found: string
  against: 'documentation' | 'reading'
}

/** null is as good as missing, in the contract. */
export const withoutNulls = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, inner: unknown) => inner ?? undefined)

/** What of a record the contract declares otherwise: the place, never the value. */
export function strayed(schema: z.ZodType, record: unknown): string[] {
  const issues = schema.safeParse(withoutNulls(record)).error?.issues ?? []
  return issues.map(
    ({ path, code }) =>
      `${path.map(step => (typeof step === 'number' ? '[]' : String(step))).join('.')} ${code}`,
  )
}

/**
 * Whether an answer is what the contract says: a success of the documented shape, or a refusal as
 * documented.
 */
export function judge(operation: Operation, asked: string, answer: PartnerAnswer): Problem[] {
  const problem = (found: string, against: Problem['against'] = 'documentation'): Problem => ({
    operation: operation.id,
    asked,
    found,
    against,
  })
  if (!isSuccess(operation.answer, answer))
    return refusalProblems(answer).map(found => problem(found))
  try {
    const value = readValue(operation.answer, answer, operation.id)
    const wrapper = wrapperProblem(operation, answer)
    return [
      ...recordProblems(operation, value).map(found => problem(found)),
      ...(wrapper === undefined ? [] : [problem(wrapper, 'reading')]),
    ]
  } catch (error) {
    if (error instanceof TillageError) return [problem(error.code)]
    throw error
  }
}

function recordProblems({ answer }: Operation, value: unknown): string[] {
  if (answer.kind === 'record') return value === undefined ? [] : strayed(answer.schema, value)
  if (!('of' in answer)) return []
  return [
    ...new Set((value as { items: unknown[] }).items.flatMap(item => strayed(answer.of, item))),
  ]
}

/** Which wrapper a list has is shown for a few; the client takes any of them. */
function wrapperProblem({ answer }: Operation, { body }: PartnerAnswer): string | undefined {
  if (!('of' in answer)) return undefined
  const value = JSON.parse(body.toString('utf8')) as unknown
  const unpaged = answer.kind === 'values' ? ['values'] : ['a bare array']
  const expected: readonly string[] = answer.kind === 'page' ? answer.envelopes : unpaged
  const found = Array.isArray(value)
    ? 'a bare array'
    : (['values', 'searchResult', 'results'].find(name => name in (value as object)) ??
      'another object')
  return expected.includes(found) ? undefined : `the list is ${found}, not ${expected.join(' or ')}`
}

/**
 * "Every error reports the offending field, a message explaining why, and an error type": one, or a
 * list of them.
 */
export function refusalProblems({ status, body }: PartnerAnswer): string[] {
  if (status < 400 || status > 499) return [`status ${status}`]
  try {
    const value = JSON.parse(body.toString('utf8')) as unknown
    const errors = (Array.isArray(value) ? value : [value]) as Record<string, unknown>[]
    const isDocumented =
      errors.length > 0 &&
      errors.every(error =>
        ['field', 'message', 'errorType'].every(name => typeof error[name] === 'string'),
      )
    return isDocumented ? [] : [`an error under ${status} without field, message and errorType`]
  } catch {
    return [`an error under ${status} that is not JSON`]
  }
}

/** One line for each, those of the documentation first; the same thing found twice stands once. */
export function told(problems: readonly Problem[]): string {
  const lines = problems.map(({ operation, asked, found, against }) =>
    [against.padEnd(13), operation.padEnd(30), asked.padEnd(24), found].join('  '),
  )
  return [...new Set(lines)].toSorted().join('\n')
}
