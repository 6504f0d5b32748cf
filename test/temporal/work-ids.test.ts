import fc from 'fast-check'
import { expect, it } from 'vitest'
import { streams } from '../../connectors/partner/streams/index.ts'
import {
  backfillNightsId,
  checkId,
  deliverId,
  scheduledWorkflowId,
  syncStoreId,
  syncStreamId,
  workOfId,
} from '../../workflows/ids.ts'

const NAMES = streams.map(({ name }) => name)
/** Of a store; one letter more is refused in tillage.yaml. */
const LONGEST = 'x'.repeat(63)
const RANGE = { from: '2026-03-01', to: '2026-03-08', again: true }

it('no id is longer than the 255 characters that a Temporal server on a database of SQL holds', () => {
  const ids = [
    syncStoreId({ store: LONGEST, ...RANGE }, NAMES),
    ...NAMES.map(name => syncStreamId({ store: LONGEST, ...RANGE }, name)),
    checkId(LONGEST, NAMES, [1_000_000, 1_000_000, Date.now()]),
    backfillNightsId(LONGEST, '2026-03-01', '2026-03-08'),
    deliverId('d'.repeat(100)),
    `${scheduledWorkflowId('nightly', LONGEST)}-2026-03-01T10:00:00Z`,
  ]
  for (const id of ids) expect(id.length, id).toBeLessThanOrEqual(255)
  // What it would be without being shortened.
  expect(NAMES.join('+').length).toBeGreaterThan(255)
})

it('few streams are named in an id, many are told from any others', () => {
  const few = syncStoreId({ store: 'downtown' }, ['transactions', 'batches'])
  expect(few).toBe('sync/downtown/transactions+batches/latest/store')
  const some = fc.subarray(NAMES, { minLength: 1 })
  fc.assert(
    fc.property(some, some, (one, other) => {
      const [id, otherId] = [one, other].map(names => syncStoreId({ store: 'downtown' }, names))
      expect(id === otherId).toBe(one.join() === other.join())
      expect(workOfId(id!).stream).toBe(one.length === 1 ? one[0] : undefined)
    }),
  )
})
