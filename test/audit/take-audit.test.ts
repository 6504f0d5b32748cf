import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { auditFolder } from '../../audit/folder.ts'
import type { StoreApi } from '../../audit/store-api.ts'
import { takeAudit } from '../../audit/take-audit.ts'
import type { AuditTaken } from '../../audit/take-audit.ts'
import { actNow, appendAct } from '../../connectors/database.ts'
import { RENAME_ACT } from '../../connectors/destination/renames.ts'
import { inventories } from '../../connectors/partner/streams/inventories.ts'
import { readCsv } from '../../text/read-csv.ts'
import { AuditScene } from '../reconcile/audit-scene.ts'

let scene: AuditScene
beforeAll(async () => {
  scene = await AuditScene.start()
})
afterAll(() => scene.close())

const take = (api: StoreApi = scene.api): Promise<AuditTaken> => {
  const order = {
    log: scene.store,
    exports: scene.exports,
    timeZone: 'America/Los_Angeles',
    reasons: ['audit'],
    now: Date.now,
  }
  return takeAudit(api, order, new AbortController().signal)
}

const rolled = ({ audit }: AuditTaken): object[] => {
  const { id } = scene.sandbox.stores[0]!
  const name = `inventory_audit_roll_forward_${id}_${audit}.csv`
  const path = join(auditFolder(scene.exports, id, audit).path, 'roll-forward', name)
  return readCsv(readFileSync(path, 'utf8').replace('\uFEFF', ''))
}

it('a changed lot is unexplained where its transactions were read, and not judged where they were not', async () => {
  expect(await take()).toMatchObject({ rolledFrom: null, unexplained: 0, problems: [] })
  const [room] = await scene.api.readList(inventories)
  const [row] = await scene.stockOf(String(room!['id']))
  await scene.setStock({ id: row!.id, quantity: row!.quantity + 3 })

  await scene.fault({ match: String.raw`/transactions\?`, status: 404, times: 1 })
  const blind = await take()
  expect(blind).toMatchObject({ rolledFrom: null, unexplained: 0, problems: ['movement_unproven'] })
  expect(rolled(blind)).toEqual([])

  await scene.setStock({ id: row!.id, quantity: row!.quantity })
  await scene.fault({ match: '/reconcil', status: 404, after: 1, times: 1 })
  const seeing = await take()
  expect(seeing).toMatchObject({
    rolledFrom: blind.audit,
    unexplained: 1,
    problems: ['history_unread'],
  })
  expect(rolled(seeing).length).toBeGreaterThan(1)
})

it('an audit of a store that was renamed is rolled forward from the one under its earlier id', async () => {
  const { id } = scene.sandbox.stores[0]!
  const [renamed, stranger] = ['renamed', 'stranger'].map(store => ({ ...scene.api, store }))
  const before = await take()
  expect(await take(stranger)).toMatchObject({ rolledFrom: null })
  await appendAct(scene.database, actNow(RENAME_ACT, { from: id, to: 'renamed' }))
  // Another store that has the id since is not rolled forward from what was not its own.
  expect(await take()).toMatchObject({ rolledFrom: null })
  expect(await take(renamed)).toMatchObject({ rolledFrom: before.audit })
})
