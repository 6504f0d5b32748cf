import { expect, test } from 'vitest'
import type { Operation } from '../../push/operation.ts'
import { planPage } from '../../push/page/html.ts'

const operation: Operation = {
  id: 'OP-1',
  store: 'kreuzberg',
  entity: 'products',
  op: 'update',
  row: 2,
  externalId: 'P-1',
  name: 'Flower 3.5g',
  targetId: 'T-1',
  match: 'target_id',
  changes: [
    { field: 'unit_price', old: '12.00', new: '12.50', edits: [] },
    { field: 'weight_per_unit', old: '3.5', new: null, edits: [] },
  ],
  flags: [],
  dependsOn: [],
  effectiveAt: null,
  reason: null,
  base: null,
}

const pageIn = (currency?: string, op: Operation['op'] = 'update'): string =>
  planPage(
    { plan: 'PL-1', hash: 'HASH', currencyOf: currency === undefined ? undefined : () => currency },
    {
      kind: 'push',
      of: null,
      entity: 'products',
      file: { path: 'products.csv', sha256: 'SHA', rows: 1 },
      stores: [STORE],
    },
    [{ ...operation, op }],
  )

const STORE = {
  store: 'kreuzberg',
  timeZone: 'Europe/Berlin',
  error: null,
  counts: { create: 0, update: 1, reactivate: 0, deactivate: 0, noop: 0, conflict: 0, blocked: 0 },
  requests: { expected: 3, seconds: 1 },
}

test('the page of a push names the currency of prices, and of nothing else', () => {
  const page = pageIn('EUR')
  expect(page).toContain('12.00 EUR')
  expect(page).toContain('12.50 EUR')
  expect(page).not.toContain('3.5 EUR')
  expect(page).not.toContain('(cleared) EUR')
  expect(pageIn()).toContain('12.50<')
})

test('the page of a push says how it is sent where something of it can be', () => {
  expect(pageIn()).toContain('tillage push approve PL-1')
  expect(pageIn('EUR', 'blocked')).not.toContain('tillage push approve')
})
