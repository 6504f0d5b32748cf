import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { shellWord } from '../../../commands/terminal/shell-word.ts'

it('a word comes out of a shell as it went in, and nothing in it is carried out', () => {
  const said = (words: readonly string[]): string =>
    execFileSync('sh', ['-c', `printf '%s\\0' ${words.map(shellWord).join(' ')}`], {
      encoding: 'utf8',
    })
  const odd = ["it's", '$(exit 9)', '`exit 9`', '"', '~', 'a b', '*', '$HOME', '\\', '', '-n', '!!']
  expect(said(odd)).toBe(odd.map(word => `${word}\0`).join(''))
  const word = fc.string({ unit: 'grapheme' }).filter(text => !text.includes('\0'))
  fc.assert(
    fc.property(fc.array(word, { minLength: 1 }), words => {
      expect(said(words)).toBe(words.map(one => `${one}\0`).join(''))
    }),
    { numRuns: 20 },
  )
  for (const plain of ['downtown', 'a/b.yaml', '2026-03-01', 'x=1'])
    expect(shellWord(plain)).toBe(plain)
})
