import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { DAY_MS, toIso } from '../../calendar/days.ts'
import type { OperationState } from '../../connectors/destination/outbound.ts'
import { migrate } from '../../connectors/sqlite/migrate.ts'
import { openOutboundStore } from '../../connectors/sqlite/outbound.ts'
import { reconcileStanding } from '../../reconcile/alarm.ts'
import type { OperationFacts } from '../../reconcile/operation-facts.ts'
import { reconcileSettings } from '../../reconcile/settings.ts'

const nowMs = Date.parse('2026-03-31T12:00:00Z')
const settings = reconcileSettings.parse({ approvers: [{ name: 'Kim', role: 'manager' }] })

interface Told {
  state: OperationState
  isWhole: boolean
  facts: OperationFacts
}

it('somebody is told before the limit of days between full reconciliations, and after it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tillage-test-'))
  await migrate(join(folder, 'tillage.db'), [])
  const store = openOutboundStore(join(folder, 'tillage.db'))
  let plans = 0
  const reconciled = async (
    daysAgo: number,
    { state = 'confirmed', isWhole = true, facts = {} }: Partial<Told> = {},
  ) => {
    const [plan, at] = [`P-${++plans}`, toIso(nowMs - daysAgo * DAY_MS)]
    await store.savePlan(
      {
        plan,
        kind: 'reconcile',
        hash: 'h',
        path: '/p',
        createdAt: at,
        facts: { store: 'downtown', isWhole },
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
    return reconcileStanding(store, 'downtown', settings, nowMs)
  }
  const none = await reconcileStanding(store, 'downtown', settings, nowMs)
  expect(none).toMatchObject({ days: undefined, isOverdue: false })
  expect(none!.attention[0]).toContain('no full reconciliation is known')
  expect(await reconciled(31)).toMatchObject({
    isOverdue: true,
    attention: ['31 days since the last full reconciliation, the limit is 30'],
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
  expect(await reconciled(3, { facts: { stale: [] } })).toMatchObject({ days: 3, attention: [] })
  const strangers = reconcileSettings.parse({})
  expect(await reconcileStanding(store, 'harbor', strangers, nowMs)).toBeDefined()
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})
