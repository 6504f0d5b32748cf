import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { reconcileSettings } from '../../audit/settings.ts'
import { DAY_MS, toIso } from '../../calendar/days.ts'
import { actNow, appendAct } from '../../connectors/database.ts'
import type { OperationState } from '../../connectors/destination/outbound.ts'
import { RENAME_ACT } from '../../connectors/destination/renames.ts'
import { migrate } from '../../connectors/sqlite/schema/migrate.ts'
import { openOutboundStore } from '../../connectors/sqlite/tables/outbound.ts'
import { reconcileStanding } from '../../reconcile/alarm.ts'
import type { OperationFacts } from '../../reconcile/operation-facts.ts'

const nowMs = Date.parse('2026-03-31T12:00:00Z')
const settings = reconcileSettings.parse({ approvers: [{ name: 'Kim', role: 'manager' }] })

interface Told {
  of: string
  state: OperationState
  isWhole: boolean
  facts: OperationFacts
}

it('somebody is told before the limit of days between full reconciliations, and after it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tillage-test-'))
  const database = join(folder, 'tillage.db')
  await migrate(database, [])
  const store = openOutboundStore(database)
  const standing = (firstReadMs?: number) =>
    reconcileStanding(store, 'downtown', settings, { nowMs, firstReadMs: async () => firstReadMs })
  let plans = 0
  const reconciled = async (
    daysAgo: number,
    { of = 'downtown', state = 'confirmed', isWhole = true, facts = {} }: Partial<Told> = {},
  ) => {
    const [plan, at] = [`P-${++plans}`, toIso(nowMs - daysAgo * DAY_MS)]
    await store.savePlan(
      {
        plan,
        kind: 'reconcile',
        hash: 'h',
        createdAt: at,
        facts: { store: of, isWhole },
      },
      [
        {
          plan,
          op: '1',
          token: plan,
          state,
          attempt: 1,
          changedAt: at,
          facts: { ...facts },
        },
      ],
    )
    return standing()
  }
  const none = await standing()
  expect(none).toMatchObject({ days: undefined, isOverdue: false })
  expect(none!.attention).toEqual(['no full reconciliation is known; the first is due in 30 days'])
  // Where there never was one, days count from when the store was read first.
  expect(await standing(nowMs - 30 * DAY_MS)).toMatchObject({ isOverdue: false })
  expect(await standing(nowMs - 30 * DAY_MS - 1)).toMatchObject({
    days: undefined,
    isOverdue: true,
    attention: ['no full reconciliation is known in more than 30 days, the limit is 30'],
  })
  expect(await reconciled(31)).toMatchObject({
    isOverdue: true,
    attention: ['31 days since the last full reconciliation, the limit is 30'],
  })
  expect(await reconciled(30.01)).toMatchObject({
    isOverdue: true,
    attention: ['more than 30 days since the last full reconciliation, the limit is 30'],
  })
  expect(await reconciled(29.5)).toMatchObject({
    isOverdue: false,
    attention: ['a full reconciliation is due in 1 day'],
  })
  expect(await reconciled(27)).toMatchObject({
    isOverdue: false,
    attention: ['a full reconciliation is due in 3 days'],
  })
  // Neither a part of the rooms, nor one that was refused, nor one that left out lots counts.
  expect(await reconciled(2, { isWhole: false })).toMatchObject({ days: 27 })
  expect(await reconciled(1, { state: 'rejected' })).toMatchObject({ days: 27 })
  const stale = [{ batch_id: 'B-1', quantity: '3' }]
  expect(await reconciled(1, { facts: { stale } })).toMatchObject({ days: 27 })
  // Nor one of which lots are not as they were posted, though the API took it.
  for (const discrepancy of ['not taken', 'sale overwritten, unexplained']) {
    const facts = { discrepancies: [{ batch_id: 'B-1', discrepancy }] }
    expect(await reconciled(1, { facts })).toMatchObject({ days: 27 })
  }
  const sold = [{ batch_id: 'B-1', discrepancy: 'sale overwritten, sale' }]
  expect(await reconciled(4, { facts: { discrepancies: sold } })).toMatchObject({ days: 4 })
  expect(await reconciled(3, { facts: { stale: [] } })).toMatchObject({ days: 3, attention: [] })
  // Under the id that the store had until it was renamed.
  expect(await reconciled(2, { of: 'uptown' })).toMatchObject({ days: 3 })
  await appendAct(database, actNow(RENAME_ACT, { from: 'uptown', to: 'downtown' }))
  expect(await standing(nowMs)).toMatchObject({ days: 2 })
  const strangers = reconcileSettings.parse({})
  expect(
    await reconcileStanding(store, 'harbor', strangers, {
      nowMs,
      firstReadMs: async () => undefined,
    }),
  ).toBeDefined()
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})
