import { UsageError } from './errors.ts'

/** What somebody typed, against what there is. */

/**
 * How many letters must be added, left out, replaced or swapped with their neighbour to make one
 * text of the other (Damerau and Levenshtein).
 */
export function editDistance(one: string, other: string): number {
  // Row by row: the distances of the first letters of `one` to all beginnings of `other`.
  let before: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let row = 1; row <= one.length; row++) {
    const current = [row]
    for (let at = 1; at <= other.length; at++) {
      const same = one[row - 1] === other[at - 1]
      const swapped = one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1]
      current[at] = Math.min(
        last[at]! + 1,
        current[at - 1]! + 1,
        last[at - 1]! + (same ? 0 : 1),
        swapped ? before[at - 2]! + 1 : Infinity,
      )
    }
    before = last
    last = current
  }
  return last[other.length]!
}

/** The known name that was probably meant: at most one letter in three is wrong. */
export function nearestName(typed: string, known: readonly string[]): string | undefined {
  const distance = (name: string): number => editDistance(typed.toLowerCase(), name.toLowerCase())
  const [best] = known.toSorted((one, other) => distance(one) - distance(other))
  return best !== undefined && distance(best) <= Math.max(1, Math.floor(best.length / 3))
    ? best
    : undefined
}

/** `did you mean X? `, or nothing. */
export function suggest(typed: string, known: readonly string[]): string {
  const near = nearestName(typed, known)
  return near === undefined ? '' : `Did you mean ${near}? `
}

/**
 * The named ones, in the order in which they are known. Throws a UsageError that names the unknown
 * one, the one that was probably meant, and all there are. `kind` is the singular: `stream`.
 */
export function chooseNames<Name extends string>(
  kind: string,
  names: readonly string[],
  known: readonly Name[],
): Name[] {
  const unknown = names.find(name => !(known as readonly string[]).includes(name))
  if (unknown !== undefined)
    throw new UsageError(
      `there is no ${kind} ${JSON.stringify(unknown)}`,
      known.length === 0
        ? `There are no ${kind}s here yet.`
        : `${suggest(unknown, known)}${kind[0]!.toUpperCase()}${kind.slice(1)}s are: ` +
            `${known.join(', ')}.`,
    )
  return known.filter(name => names.includes(name))
}

/** For a configuration: what a value must be, and what was probably meant. */
export const mustBeOneOf =
  (known: readonly string[]) =>
  ({ input }: { input?: unknown }): string => {
    const near = typeof input === 'string' ? nearestName(input, known) : undefined
    return (
      `must be one of: ${known.join(', ')}` + (near === undefined ? '' : ` (did you mean ${near}?)`)
    )
  }

/** The names of a list that was typed with commas: `parquet, csv`. */
export const splitNames = (text: string): string[] =>
  text
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '')

/** Of a variable of the environment. */
export const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

/** What Windows keeps for devices, in any case. */
const DEVICES = /^(con|prn|aux|nul|com\d|lpt\d)$/i

/** Why a text cannot be the id of a store, which names a folder of exports on any disk. */
export function faultOfStoreId(id: string): string | undefined {
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/.test(id))
    return (
      'must be letters, digits, dashes and underscores, 63 at most, like downtown: ' +
      'its files lie in a folder of that name'
    )
  return DEVICES.test(id)
    ? 'is a name that Windows keeps for a device, so no folder of exports can have it'
    : undefined
}
