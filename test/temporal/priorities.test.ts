import { expect, test } from 'vitest'
import { priorityOf } from '../../workflows/start-facts.ts'

test('what a person decided goes first, then events, nights, and what may take its time', () => {
  const keyOf = (id: string): number => priorityOf(id).priorityKey!
  const inOrder = [
    'apply/push-1/apply-2',
    'hints/downtown',
    'night/downtown/2026-10-28',
    'scheduled/nightly/downtown',
    'nights/downtown/2026-01-01..2026-03-01',
  ].map(keyOf)
  expect(inOrder).toEqual([1, 2, 3, 3, 5])
  expect(keyOf('sync/downtown/transactions/2026-10-28..2026-10-29')).toBe(2)
  expect(keyOf('sync/downtown/transactions+batches/latest/store')).toBe(2)
  expect(keyOf('sync/downtown/transactions/2026-01-01..2026-10-29')).toBe(5)
})

test('stores take turns: the key is the store, as far as Temporal takes it', () => {
  expect(priorityOf('scheduled/nightly/downtown').fairnessKey).toBe('downtown')
  expect(priorityOf(`hints/${'s'.repeat(90)}`).fairnessKey).toHaveLength(64)
  expect(priorityOf('apply/push-1/apply-2')).toMatchObject({ fairnessKey: '' })
})
