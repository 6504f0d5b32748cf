import fc from 'fast-check'
import { expect, it } from 'vitest'
import { toIso } from '../../calendar/days.ts'
import { possibleIds, presentId } from '../../connectors/destination/renames.ts'
import type { Rename } from '../../connectors/destination/renames.ts'

const on = (day: number): string => toIso(Date.UTC(2026, 0, day))

it('what lies under an id that its store gave up is of the store as it is called now', () => {
  const renames = [
    { from: 'first', to: 'second', at: on(5) },
    { from: 'second', to: 'third', at: on(9) },
  ]
  expect(presentId(renames, { id: 'first', at: on(1) })).toBe('third')
  expect(presentId(renames, { id: 'second', at: on(7) })).toBe('third')
  expect(presentId(renames, { id: 'third', at: on(10) })).toBe('third')
  expect(possibleIds(renames, 'third')).toEqual(['third', 'second', 'first'])
})

it('an id that was given up is that of the next store that has it, from then on', () => {
  const renames = [{ from: 'downtown', to: 'harbor', at: on(5) }]
  expect(presentId(renames, { id: 'downtown', at: on(1) })).toBe('harbor')
  expect(presentId(renames, { id: 'downtown', at: on(6) })).toBe('downtown')
})

it('what another store was called is no possible id', () => {
  const renames = [
    { from: 'a', to: 'b', at: on(1) },
    { from: 'c', to: 'd', at: on(2) },
  ]
  expect(possibleIds(renames, 'd')).toEqual(['d', 'c'])
  expect(possibleIds(renames, 'e')).toEqual(['e'])
})

/** Stores that exist from the first day, renamed in turn, each time to an id that nobody has. */
const history = fc
  .array(fc.record({ who: fc.nat(2), to: fc.constantFrom('a', 'b', 'c', 'd', 'e') }), {
    maxLength: 12,
  })
  .map(asked => {
    const ids = ['a', 'b', 'c']
    const days = [[...ids]]
    const renames: Rename[] = []
    for (const [index, { who, to }] of asked.entries()) {
      if (!ids.includes(to)) {
        renames.push({ from: ids[who]!, to, at: on(2 * index + 2) })
        ids[who] = to
      }
      days.push([...ids])
    }
    return { renames, days }
  })

it('whatever a store was called on a day, its present id is found, and among the possible ones is each that it had', () => {
  fc.assert(
    fc.property(history, ({ renames, days }) => {
      const present = days.at(-1)!
      for (const [index, ids] of days.entries())
        for (const [store, id] of ids.entries()) {
          expect(presentId(renames, { id, at: on(2 * index + 1) })).toBe(present[store])
          expect(possibleIds(renames, present[store]!)).toContain(id)
        }
    }),
  )
})
