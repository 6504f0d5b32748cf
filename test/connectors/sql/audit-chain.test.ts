import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BEGINNING, findBreaks, hashOf } from '../../../connectors/sql/audit-chain.ts'
import type { AuditEntry } from '../../../connectors/sql/audit-chain.ts'

const text = fc.string({ maxLength: 8 })
const acts = fc.array(fc.record({ who: text, machine: text, act: text, detail: text }), {
  minLength: 1,
  maxLength: 12,
})

const chain = (
  all: readonly Pick<AuditEntry, 'who' | 'machine' | 'act' | 'detail'>[],
): AuditEntry[] => {
  const entries: AuditEntry[] = []
  for (const [index, act] of all.entries()) {
    const at = new Date(Date.UTC(2026, 2, 1) + index).toISOString()
    const entry = { ...act, at, seq: index + 1, previous: entries.at(-1)?.hash ?? BEGINNING }
    entries.push({ ...entry, hash: hashOf(entry) })
  }
  return entries
}
const anyEntry = acts.chain(all =>
  fc.record({ entries: fc.constant(chain(all)), at: fc.nat(all.length - 1) }),
)

describe('the chain of the audit log', () => {
  test('holds as it was written', () => {
    fc.assert(
      fc.property(acts, all => {
        expect(findBreaks(chain(all), all.length)).toEqual([])
      }),
    )
  })

  test('breaks where an entry was changed, whichever part of it', () => {
    const part = fc.constantFrom('who', 'machine', 'act', 'detail', 'at', 'previous' as const)
    fc.assert(
      fc.property(anyEntry, part, ({ entries, at }, name) => {
        const changed = entries.with(at, { ...entries[at]!, [name]: `${entries[at]![name]}x` })
        expect(findBreaks(changed, entries.length)).toContain(
          `entry ${at + 1} is not as it was written`,
        )
      }),
    )
  })

  test('breaks where an entry was changed and its hash made to fit, since the next one does not follow', () => {
    fc.assert(
      fc.property(anyEntry, ({ entries, at }) => {
        const forged = { ...entries[at]!, who: 'nobody at all' }
        const changed = entries.with(at, { ...forged, hash: hashOf(forged) })
        expect(findBreaks(changed, entries.length).length > 0).toBe(at < entries.length - 1)
      }),
    )
  })

  test('breaks where an entry is missing, also at the end', () => {
    fc.assert(
      fc.property(anyEntry, ({ entries, at }) => {
        expect(findBreaks(entries.toSpliced(at, 1), entries.length)).toContain(
          `entry ${at + 1} is missing`,
        )
      }),
    )
  })
})
