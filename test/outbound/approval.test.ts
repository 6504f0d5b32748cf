import fc from 'fast-check'
import { expect, it } from 'vitest'
import { nameKey } from '../../outbound/approval.ts'

const LETTERS = [...'AnaRuizéÅßΣ ']
const name = fc.array(fc.constantFrom(...LETTERS), { minLength: 1, maxLength: 12 })
const UNSEEN = ['\u200B', '\u200D', '\u2060', '\uFEFF', '\u00AD', '\u202E', '\u034F', '\uFE0F']
const BLANKS = [' ', '\u00A0', '\u3000', '\u2003', '\u2800', '\t', '  ']
const wide = (letter: string): string =>
  /[!-~]/.test(letter) ? String.fromCharCode(letter.charCodeAt(0) + 0xfee0) : letter

it('a name is the same person, however its letters, blanks and unseen characters are written', () => {
  fc.assert(
    fc.property(
      name,
      fc.infiniteStream(fc.constantFrom(...UNSEEN, '')),
      fc.infiniteStream(fc.constantFrom(...BLANKS)),
      fc.infiniteStream(fc.boolean()),
      (letters, unseen, blanks, choices) => {
        const written = letters.map(letter => {
          const shown = letter === ' ' ? blanks.next().value : letter
          const other = choices.next().value ? wide(shown) : shown.normalize('NFD')
          return other + unseen.next().value
        })
        expect(nameKey(written.join(''))).toBe(nameKey(letters.join('')))
      },
    ),
  )
})

it('different names are different people', () => {
  const people = ['Ana Ruiz', 'Ana Ruis', 'Anna Ruiz', 'AnaRuiz', 'Ana', 'Аna Ruiz']
  expect(new Set(people.map(nameKey)).size).toBe(people.length)
})

it('invisible characters are not a name', () => {
  expect(UNSEEN.concat(BLANKS).map(nameKey)).toEqual([...UNSEEN, ...BLANKS].map(() => ''))
})
