import type { Operation } from '../../connectors/partner/contract/operation.ts'
import { UsageError } from '../../errors.ts'

/** What was typed, understood: the operation, and the parameters that stood in the path itself. */
export interface OperationMatch {
  operation: Operation
  parameters: Record<string, string>
  /** Names in braces as they were typed, to those of the contract. */
  names: Record<string, string>
}

const PREFIXES = ['', '/api/v1/partner', '/api/v1']

const segmentsOf = (path: string): string[] => path.split('/').filter(segment => segment !== '')
const isName = (segment: string): boolean => /^\{\w+\}$/.test(segment)

/**
 * Finds the operation by method and path: as in the documentation (`/members/{memberId}`), or
 * filled in (`/members/abc`), with or without `/api/v1/partner`. Of several, the one with fewer
 * parameters: `/members/days` is not a member.
 */
export function findOperation(
  operations: readonly Operation[],
  method: string,
  typed: string,
): OperationMatch {
  const [path = '', search = ''] = typed.split('?', 2)
  const wanted = method.toUpperCase()
  const found = PREFIXES.flatMap(prefix =>
    operations
      .filter(operation => operation.method === wanted)
      .flatMap(operation => match(operation, segmentsOf(`${prefix}/${path}`)) ?? []),
  )
    .sort(
      (one, other) =>
        Object.keys(one.parameters).length +
        Object.keys(one.names).length -
        Object.keys(other.parameters).length -
        Object.keys(other.names).length,
    )
    .at(0)
  if (found === undefined) {
    const near = nearest(operations, wanted, path).map(({ method, path }) => `  ${method} ${path}`)
    throw new UsageError(
      `there is no operation ${wanted} ${path}`,
      `The nearest are:\n${near.join('\n')}\nAll of them: tillage api --list.`,
    )
  }
  return {
    ...found,
    parameters: { ...Object.fromEntries(new URLSearchParams(search)), ...found.parameters },
  }
}

function match(operation: Operation, typed: readonly string[]): OperationMatch | undefined {
  const documented = segmentsOf(operation.path)
  if (documented.length !== typed.length) return undefined
  const found: OperationMatch = { operation, parameters: {}, names: {} }
  for (const [at, segment] of documented.entries()) {
    const given = typed[at]!
    if (!isName(segment)) {
      if (segment !== given) return undefined
    } else if (isName(given)) found.names[given.slice(1, -1)] = segment.slice(1, -1)
    else found.parameters[segment.slice(1, -1)] = decode(given)
  }
  return found
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** By how many pairs of letters two texts share (Dice), so that a typing mistake costs little. */
export function nearest(
  operations: readonly Operation[],
  method: string,
  path: string,
): Operation[] {
  const asked = pairsOf(path)
  const likeness = (operation: Operation): number => {
    const [, ...own] = operation.path.split(/^\/api\/v1(?:\/partner)?/)
    return (
      Math.max(dice(asked, pairsOf(operation.path)), dice(asked, pairsOf(own.join('')))) +
      (operation.method === method ? 0.1 : 0)
    )
  }
  return operations.toSorted((one, other) => likeness(other) - likeness(one)).slice(0, 5)
}

const pairsOf = (text: string): Set<string> =>
  new Set(
    Array.from({ length: Math.max(0, text.length - 1) }, (_, at) =>
      text.slice(at, at + 2).toLowerCase(),
    ),
  )
const dice = (one: ReadonlySet<string>, other: ReadonlySet<string>): number =>
  (2 * [...one].filter(pair => other.has(pair)).length) / (one.size + other.size || 1)
