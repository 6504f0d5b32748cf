import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Approval } from '../../connectors/destination/outbound.ts'
import { approversOf, describeMissingApprovals, nameKey, POLICY } from '../../outbound/approval.ts'
import type { ApprovalRules } from '../../outbound/approval.ts'

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

it('where nobody has approved, it says that there is none', () => {
  const rules: ApprovalRules = { hash: 'a', required: 1, validMs: 1_000, approvers: [] }
  expect(describeMissingApprovals(rules, [], 0)).toBe('needs an approval, and has none')
})

describe('who stands behind a plan', () => {
  const HASH = 'a'.repeat(64)
  const approvers = ['Ana', 'Bo', 'Cy'].map(name => ({ name, role: 'manager' }))
  const rules: ApprovalRules = { hash: HASH, required: 1, validMs: 1_000, approvers }
  const given = (by: string, atMs: number, guarded: string[] = []): Approval => ({
    plan: 'PL-1',
    by,
    role: '',
    at: new Date(atMs).toISOString(),
    hash: HASH,
    origin: '',
    facts: { guarded },
  })

  it('is whose approval counts then: not expired, of the document, and of somebody who may', () => {
    const all = [
      given('Ana', 500),
      given('Bo', 0),
      given('Dan', 500),
      given(POLICY, 500),
      { ...given('Cy', 500), hash: 'b'.repeat(64) },
    ]
    expect(approversOf(rules, all, 999)).toEqual(['Ana', 'Bo'])
    expect(approversOf(rules, all, 1_000)).toEqual(['Ana'])
    expect(approversOf({ ...rules, isAllowedByPolicy: true }, all, 1_000)).toEqual(['Ana', POLICY])
    expect(approversOf({ ...rules, approvers: undefined }, all, 1_000)).toEqual(['Ana', 'Dan'])
  })

  it('is named once, and of a guarded operation who named it', () => {
    const all = [given('Ana', 0), given('Ana', 1, ['op-1']), given('Bo', 2)]
    const guarding = { ...rules, guarded: new Set(['op-1']) }
    expect(approversOf(guarding, all, 3, 'op-1')).toEqual(['Ana'])
    expect(approversOf(guarding, all, 3, 'op-2')).toEqual(['Ana', 'Bo'])
    expect(approversOf(guarding, all, 3)).toEqual(['Ana', 'Bo'])
  })
})
