import Database from 'better-sqlite3'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { wellFormed } from '../../../connectors/partner/answer-body.ts'

const asText = (json: string | Buffer): string => wellFormed(Buffer.from(json)).toString('utf8')
/** As Python, Java and PHP spell JSON: every character beyond ASCII is an escape. */
const escaped = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[^\x20-\x7e]/g,
    unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
const anyText = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\ud83d', '\udc49', '\\', '\\ud83d', 'd', '"', '\0'),
    fc.string({ unit: 'grapheme', maxLength: 1 }),
  ),
})

it('leaves an answer that is Unicode as it is, pairs of escapes and escaped backslashes too', () => {
  const honest = ['{"a":"Gummies 👉 ñ"}', '{"a":"\\ud83d\\uDC49"}', '{"a":"C:\\\\ud83d"}', '[]']
  for (const json of honest) {
    const bytes = Buffer.from(json)
    expect(wellFormed(bytes)).toBe(bytes)
    expect(bytes.toString('utf8')).toBe(json)
  }
})

it('writes U+FFFD for half of a pair, and for bytes that are no UTF-8', () => {
  expect(asText('{"a":"cut \\ud83d"}')).toBe('{"a":"cut \\ufffd"}')
  expect(asText('{"a":"\\uDC49 cut"}')).toBe('{"a":"\\ufffd cut"}')
  expect(asText('{"a":"\\ud83d\\ud83d\\udc49"}')).toBe('{"a":"\\ufffd\\ud83d\\udc49"}')
  expect(asText('{"a":"\\\\\\ud83d"}')).toBe('{"a":"\\\\\\ufffd"}')
  expect(asText(Buffer.from('{"a":"caf\xe9"}', 'latin1'))).toBe('{"a":"caf\ufffd"}')
})

it('gives every text as JavaScript makes it well-formed, and SQLite gives it back the same', () => {
  const database = new Database(':memory:')
  const text = database.prepare<[Buffer], string>(`SELECT CAST(? AS TEXT) ->> '$.a'`).pluck()
  fc.assert(
    fc.property(anyText, fc.constantFrom(escaped, JSON.stringify), (a, spell) => {
      const json = wellFormed(Buffer.from(spell({ a })))
      expect(text.get(json)).toBe(a.toWellFormed())
    }),
  )
})
