import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { auditFolder } from '../../audit/folder.ts'
import { takeAudit } from '../../audit/take-audit.ts'
import type { AuditTaken } from '../../audit/take-audit.ts'
import { inventories } from '../../connectors/partner/streams/inventories.ts'
import { readCsv } from '../../text/read-csv.ts'
import { AuditScene } from '../reconcile/audit-scene.ts'

let scene: AuditScene
beforeAll(async () => {
  scene = await AuditScene.start()
})
afterAll(() => scene.close())

const take = (): Promise<AuditTaken> => {
  const order = {
    log: scene.store,
    exports: scene.exports,
    timeZone: 'America/Los_Angeles',
    reasons: ['audit'],
    now: Date.now,
  }
  return takeAudit(scene.api, order, new AbortController().signal)
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
