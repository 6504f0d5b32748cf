import { UsageError } from './errors.ts'

/** What somebody typed, against what there is. */

/**
 * How alike two texts are, from 0 to 1: the pairs of letters that they share (Dice's coefficient),
 * so that a typing mistake costs little.
 */
export function likeness(one: string, other: string): number {
  const [own, theirs] = [pairsOf(one), pairsOf(other)]
  const shared = [...own].filter(pair => theirs.has(pair)).length
  return (2 * shared) / (own.size + theirs.size || 1)
}

const pairsOf = (text: string): Set<string> => {
  const letters = ` ${text.toLowerCase()} `
  return new Set(Array.from({ length: letters.length - 1 }, (_, at) => letters.slice(at, at + 2)))
}

/** Less alike than this is no typing mistake. */
const ALIKE = 0.4

/** The known name that was probably meant. */
export function nearestName(typed: string, known: readonly string[]): string | undefined {
  const [best] = known.toSorted((one, other) => likeness(typed, other) - likeness(typed, one))
  return best !== undefined && likeness(typed, best) >= ALIKE ? best : undefined
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
      `${suggest(unknown, known)}${kind[0]!.toUpperCase()}${kind.slice(1)}s are: ${known.join(', ')}.`,
    )
  return known.filter(name => names.includes(name))
}

/** For a configuration: what a value must be, and what was probably meant. */
export const mustBeOneOf =
  (known: readonly string[]) =>
  ({ input }: { input?: unknown }): string => {
    const near = typeof input === 'string' ? nearestName(input, known) : undefined
    return `must be one of: ${known.join(', ')}${near === undefined ? '' : ` (did you mean ${near}?)`}`
  }

/** The names of a list that was typed with commas: `parquet, csv`. */
export const splitNames = (text: string): string[] =>
  text
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '')
