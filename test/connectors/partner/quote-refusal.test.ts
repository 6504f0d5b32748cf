import fc from 'fast-check'
import { expect, it } from 'vitest'
import { quoteRefusal } from '../../../connectors/partner/quote-refusal.ts'

const quote = (message: unknown): string | undefined =>
  quoteRefusal(Buffer.from(JSON.stringify({ message })))

it.each([
  'package is on hold by the state system',
  'quantity 12.5 of package 1A4060300002199000003445 exceeds 10 on 2026-03-09',
  'paquete retenido: 5f0c9a2b7d3e4f6a8b9c0d1e',
])('what people need to know is quoted: %s', message => {
  expect(quote(message)).toBe(message)
})

it.each([
  ['key abcdefghijklmnopqrstuvwxyz0123456789', 'key ***'],
  ['Bearer abc.def is not known', 'Bearer *** is not known'],
  ['partnerKey: "p-1", developer key=d-2', 'partnerKey: ***", developer key=***'],
  ['ask eve.moss+x@example.co.uk', 'ask ***'],
  ['call (555) 010-4477 or +1 555 010 4477', 'call *** or ***'],
  ['two\r\nlines\u001B[2J and \u202Eback', 'two lines [2J and back'],
])('what looks like a key or a person is cut: %s', (message, quoted) => {
  expect(quote(message)).toBe(quoted)
})

it('a list says its first few errors, each once; what is no text says nothing', () => {
  const errors = ['a', 'a', 'b', 'c'].map(message => ({ message }))
  expect(quoteRefusal(Buffer.from(JSON.stringify(errors)))).toBe('a; b')
  for (const body of [
    '',
    '<html>',
    'null',
    '[]',
    '{"message":7}',
    '{"message":" "}',
    '{"error":"x"}',
  ])
    expect(quoteRefusal(Buffer.from(body))).toBeUndefined()
})

it('whatever the API says, one printable line of bounded length is quoted', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 2000 }), message => {
      const quoted = quote(message) ?? ''
      expect(quoted.length).toBeLessThanOrEqual(300)
      expect(quoted).not.toMatch(/\p{C}|\n/u)
    }),
  )
})
