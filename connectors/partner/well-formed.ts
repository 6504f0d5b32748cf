import { isUtf8 } from 'node:buffer'

/** How the escape of a surrogate begins, in either case. */
const SURROGATES = ['\\ud', '\\uD']

/** A pair of surrogates, half of one, or any other escape. */
const ESCAPE =
  /\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|[^])/g

/**
 * An answer as Unicode: the character for what is unreadable (U+FFFD) stands where bytes are no
 * UTF-8 (RFC 8259, 8.1), and where an escape is half of a surrogate pair (8.2), as of a text that
 * was cut within an emoji. SQLite would keep either as bytes that no other program can read as
 * text, and that are not the same text when they come back. The bytes may be changed in place.
 */
export function wellFormed(answer: Buffer): Buffer {
  const json = isUtf8(answer) ? answer : Buffer.from(answer.toString('utf8'))
  if (SURROGATES.some(start => json.includes(start, 0, 'latin1'))) replaceHalves(json)
  return json
}

/** The escape keeps its length, so every byte keeps its place. */
function replaceHalves(json: Buffer): void {
  for (const { index, 1: half } of json.toString('latin1').matchAll(ESCAPE))
    if (half !== undefined) json.write('\\ufffd', index, 'latin1')
}
