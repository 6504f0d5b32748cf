import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { planRegistrations } from '../../webhooks/registrations.ts'
import type { Registered, Registration } from '../../webhooks/registrations.ts'

const publicUrl = 'https://hooks.example/tillage'
const url = `${publicUrl}/downtown/new`
const wanted = { store: 'downtown', publicUrl, url, types: ['A', 'B'] }
const states = (plan: readonly Registration[]): [string | undefined, string][] =>
  plan.map(({ id, state }) => [id, state])

describe('the plan for the registrations of a store', () => {
  it('creates what is missing, changes an old address, removes what is there twice', () => {
    const all = [
      { id: '1', type: 'A', urls: [`${publicUrl}/downtown/old`] },
      { id: '2', type: 'A', urls: [`${publicUrl}/downtown/older`] },
      { id: '3', type: 'C', urls: [url] },
    ]
    expect(states(planRegistrations(all, wanted))).toEqual([
      ['1', 'changed'],
      ['2', 'removed'],
      ['3', 'removed'],
      [undefined, 'created'],
    ])
  })

  it('touches nothing of another store, another program, or beside an address of ours', () => {
    const all = [
      { id: '1', type: 'A', urls: [`${publicUrl}/harbor/new`] },
      { id: '2', type: 'A', urls: ['https://other.example/x'] },
      { id: '3', type: 'A', urls: [url, 'https://other.example/x'] },
      { id: '4', type: 'A', urls: [`${publicUrl}/downtown/new/deeper`] },
    ]
    const plan = planRegistrations(all, { ...wanted, url: undefined })
    expect(plan.every(({ state }) => state === 'foreign')).toBe(true)
  })

  it('one that hears of every type is enough, where an API keeps no types', () => {
    const all = [
      { id: '1', urls: [url] },
      { id: '2', urls: [url] },
    ]
    expect(states(planRegistrations(all, wanted))).toEqual([
      ['1', 'kept'],
      ['2', 'removed'],
    ])
  })
})

const registered = fc.record(
  {
    id: fc.uuid(),
    type: fc.constantFrom('A', 'B', 'C'),
    urls: fc.array(
      fc.constantFrom(
        url,
        `${publicUrl}/downtown/old`,
        `${publicUrl}/harbor/x`,
        'https://o.example',
      ),
      { minLength: 1, maxLength: 2 },
    ),
  },
  { requiredKeys: ['id', 'urls'] },
) as fc.Arbitrary<Registered>

function carryOut(all: readonly Registered[], plan: readonly Registration[]): Registered[] {
  const byId = new Map(all.map(one => [one.id, one]))
  for (const [index, { id, type, url: to, state }] of plan.entries()) {
    if (state === 'removed') byId.delete(id!)
    if (state === 'changed') byId.set(id!, { id: id!, type, urls: [to] })
    if (state === 'created') byId.set(`new ${index}`, { id: `new ${index}`, type, urls: [to] })
  }
  return [...byId.values()]
}

test('a plan that was carried out leaves nothing to do, and all of others as it was', () => {
  fc.assert(
    fc.property(fc.uniqueArray(registered, { selector: ({ id }) => id }), all => {
      const plan = planRegistrations(all, wanted)
      const after = carryOut(all, plan)
      const again = planRegistrations(after, wanted)
      expect(again.filter(({ state }) => !['kept', 'foreign'].includes(state))).toEqual([])
      const foreign = plan.filter(({ state }) => state === 'foreign').map(({ id }) => id)
      for (const id of foreign) expect(after).toContain(all.find(one => one.id === id))
    }),
  )
})
