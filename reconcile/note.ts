/** More is not passed on to the state's system. */
const MOST_CHARACTERS = 200

interface NoteParts {
  audit: string
  reasons: readonly string[]
  notes: readonly string[]
  token: string
}

/**
 * What travels with a count: which audit, the reasons, what people wrote as far as it fits, and at
 * its end the token by which it can be found again.
 */
export function writeNote({ audit, reasons, notes, token }: NoteParts): string {
  const mark = ` [tlg:${token}]`
  const words = [`Inventory audit ${audit}`, countOf(reasons), ...new Set(notes)]
    .map(clean)
    .filter(text => text !== '')
    .join('; ')
  const room = MOST_CHARACTERS - mark.length
  const fits = words.length <= room ? words : `${cut(words, room - 3)}...`
  return `${fits}${mark}`
}

/** Never in the middle of a character that takes two, like an emoji. */
const cut = (text: string, most: number): string =>
  text
    .slice(0, most)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trimEnd()

/** The token at the end of a note of the history. */
export const tokenIn = (note: unknown): string | undefined =>
  typeof note === 'string' ? /\[tlg:(\w+)\]/.exec(note)?.[1] : undefined

/** Whether a note of the history is that of this token. */
export const hasToken = (note: unknown, token: string): boolean =>
  typeof note === 'string' && note.includes(`[tlg:${token}]`)

/** Nothing that people write may look like a token, or break a line. */
const clean = (text: string): string =>
  text
    .replaceAll(/\[tlg:/gi, '(')
    .replaceAll(/\s+/g, ' ')
    .trim()

function countOf(reasons: readonly string[]): string {
  const given = reasons.filter(reason => reason !== '')
  return [...Map.groupBy(given, reason => reason)]
    .map(([reason, same]) => `${reason} (${same.length})`)
    .join(', ')
}
