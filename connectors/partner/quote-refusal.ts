/**
 * What the API said when it refused a write, for whoever has to answer for it: "package is on hold
 * by the state system"; or why a key may not even ask whose it is. Only of writes of catalogs and
 * counts, and of `GET /store`, which hold no members; keys that this process knows are cut where
 * the error is made (`secrets.ts`), and here whatever looks like a key, an address or a telephone
 * number, since nobody knows what an API echoes (INV-10).
 */
export function quoteRefusal(body: Buffer): string | undefined {
  const said = messagesIn(body.subarray(0, MOST_BYTES).toString('utf8'))
    .map(clean)
    .filter(text => text !== '')
  return said.length === 0 ? undefined : cut([...new Set(said)].join('; '))
}

/** The same where what is refused are the keys: nothing, if any part of one stands in it. */
export function quoteWithoutKeys(body: Buffer, keys: readonly string[]): string | undefined {
  const said = quoteRefusal(body)
  const written = keys.flatMap(key => [key, Buffer.from(key).toString('base64')])
  return written.some(key => sharesPart(said ?? '', key)) ? undefined : said
}

/** So many characters in a row are no coincidence. */
const PART = 6

function sharesPart(text: string, key: string): boolean {
  const [lower, wanted] = [text.toLowerCase(), key.toLowerCase()]
  const last = Math.max(0, wanted.length - PART)
  return Array.from({ length: last + 1 }, (_, at) => wanted.slice(at, at + PART)).some(
    part => part !== '' && lower.includes(part),
  )
}

const MOST_BYTES = 20_000
const MOST_CHARACTERS = 300
const MOST_MESSAGES = 3

const cut = (text: string): string =>
  text.length <= MOST_CHARACTERS
    ? text
    : `${text.slice(0, MOST_CHARACTERS - 3).replace(/[\uD800-\uDBFF]$/, '')}...`

/** Of an error, or of the first few of a list. */
function messagesIn(body: string): string[] {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return []
  }
  const errors: unknown[] = Array.isArray(value) ? value.slice(0, MOST_MESSAGES) : [value]
  return errors.flatMap(error => {
    const message = (error as { message?: unknown } | null)?.message
    return typeof message === 'string' ? [message.slice(0, 10 * MOST_CHARACTERS)] : []
  })
}

/** Letters of one line: nothing that moves a cursor, or turns the direction of a text. */
const clean = (text: string): string =>
  LOOKS_PRIVATE.reduce(
    (left, [pattern, replaced]) => left.replaceAll(pattern, replaced),
    text.normalize('NFC').replaceAll(/[\p{C}\p{Z}]+/gu, ' '),
  ).trim()

/** Tags of packages have 24 letters and digits, and ids as many; keys are longer, or are named. */
const LOOKS_PRIVATE: readonly (readonly [RegExp, string])[] = [
  [/[^\s@<>"']+@[^\s@<>"']+\.[^\s@<>"']+/gu, '***'],
  [/\b(bearer|basic)\s+\S+/giu, '$1 ***'],
  [
    /\b((?:[\w-]*(?:api|partner|developer|access|secret)[\s_-]?key|authorization|token|secret|password|pin)\b["']?\s*(?:[:=]|\bis\b)\s*)["']?[^\s"',;]+/giu,
    '$1***',
  ],
  [/[\w+/=.~-]{32,}/gu, '***'],
  [
    /(?<![\p{L}\p{N}.-])(?!\d{4}-\d{2}-\d{2})\+?\(?\d(?:[\s()./-]{0,2}\d){6,14}(?![\p{L}\p{N}])/gu,
    '***',
  ],
]
