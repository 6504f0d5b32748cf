import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readEvidenceLog } from '../../connectors/database.ts'
import { waitingPlans } from '../../outbound/waiting-plans.ts'
import { judgeEnd } from '../../reconcile/operation-facts.ts'
import { sha256Of } from '../../sha256.ts'
import { startScene, statesOf } from '../push/scene.ts'
import type { Scene } from '../push/scene.ts'
import { AuditScene } from '../reconcile/audit-scene.ts'

/** What somebody changes by hand between the approval and the apply, and what is said of it. */
interface Tampering {
  what: string
  sql?: string
  /** The document; with `isKnown`, the row of the plan gets the hash of what it is then. */
  edit?: (text: string) => string
  isKnown?: boolean
  says: string
}

const ADDED = `INSERT INTO outbound_operations (plan, op, position, token, state, attempt, changed_at, facts)
  SELECT plan, 'op-99', 99, 'another token', state, attempt, changed_at, facts
  FROM outbound_operations WHERE plan = @plan AND op = 'op-1'`

const always = (edit: (text: string) => string): Tampering[] => [
  { what: 'the document', edit, says: 'was changed after the plan was made' },
  { what: 'the document and its hash', edit, isKnown: true, says: 'is of the hash' },
  {
    what: 'the hash of the plan',
    sql: `UPDATE outbound_plans SET hash = 'abc' WHERE plan = @plan`,
    says: 'was changed after the plan was made',
  },
  {
    what: 'the hash of an approval',
    sql: `UPDATE outbound_approvals SET hash = 'abc' WHERE plan = @plan AND position = 0`,
    says: 'is of the hash abc',
  },
  {
    what: 'who approved',
    sql: `DELETE FROM outbound_approvals WHERE plan = @plan`,
    says: 'needs',
  },
  {
    what: 'the document, its hash and that of the approvals',
    edit,
    isKnown: true,
    sql: `UPDATE outbound_approvals SET hash = (SELECT hash FROM outbound_plans WHERE plan = @plan)
      WHERE plan = @plan`,
    says: 'is not as the audit log has it',
  },
  {
    what: 'an approval that is added',
    sql: `INSERT INTO outbound_approvals (plan, position, approver, role, at, hash, origin, facts)
      SELECT plan, 9, 'Mallory', role, at, hash, origin, facts
      FROM outbound_approvals WHERE plan = @plan AND position = 0`,
    says: 'the approval of Mallory',
  },
  {
    what: 'the time of an approval',
    sql: `UPDATE outbound_approvals SET at = '2099-01-01T00:00:00.000Z' WHERE plan = @plan`,
    says: 'is not as the audit log has it',
  },
  {
    what: 'the time of an approval, which is none',
    sql: `UPDATE outbound_approvals SET at = 'for ever' WHERE plan = @plan`,
    says: 'has "for ever" for its time',
  },
  { what: 'an operation that is added', sql: ADDED, says: 'op-99 is not an operation' },
  {
    what: 'an operation that is taken away',
    sql: `DELETE FROM outbound_operations WHERE plan = @plan AND op = 'op-1'`,
    says: 'it lacks op-1',
  },
  {
    what: 'the state of an operation, which is none',
    sql: `UPDATE outbound_operations SET state = 'sent' WHERE plan = @plan AND op = 'op-1'`,
    says: 'is in the state sent',
  },
  ...(['confirmed', 'rejected', 'stale', 'unchanged', 'abandoned'] as const).map(state => ({
    what: `the state of an operation, to ${state}`,
    sql: `UPDATE outbound_operations SET state = '${state}' WHERE plan = @plan AND op = 'op-1'`,
    says: `is marked as ${state}, and by its story it was never sent; it has no receipt`,
  })),
  {
    what: 'the token of an operation',
    sql: `UPDATE outbound_operations SET token = plan || 'x' WHERE plan = @plan AND op = 'op-1'`,
    says: 'op-1',
  },
]

function tamper(
  database: string,
  { plan, path }: { plan: string; path: string },
  { sql, edit, isKnown = false }: Tampering,
): void {
  const connection = new Database(database)
  if (edit !== undefined) {
    const before = readFileSync(path, 'utf8')
    const after = edit(before)
    expect(after).not.toBe(before)
    chmodSync(path, 0o644)
    writeFileSync(path, after)
    const hash = sha256Of(after)
    if (isKnown)
      connection.prepare('UPDATE outbound_plans SET hash = ? WHERE plan = ?').run(hash, plan)
  }
  if (sql !== undefined) connection.prepare(sql).run({ plan })
  connection.close()
}

describe('a push of which somebody has changed by hand', () => {
  let scene: Scene
  beforeAll(async () => {
    scene = await startScene()
  })
  afterAll(() => scene.close())
  const database = (): string => join(scene.folder, 'tillage.db')
  const breaks = async (): Promise<readonly string[]> => (await readEvidenceLog(database())).breaks
  const approved = async (key: string): Promise<{ plan: string; path: string }> => {
    const rows = `external_id,unit_price,description\n${key},51.00,tampered\n`
    const { plan } = await scene.plan('products', rows)
    await scene.approve(plan, ['all'])
    return { plan, path: join(scene.push.folder, plan, 'plan.jsonl') }
  }

  it.each(always(text => text.replaceAll('51.00', '0.01')))(
    '$what sends nothing, and says so',
    async tampering => {
      const { plan, path } = await approved('P-1020')
      tamper(database(), { plan, path }, tampering)
      const written = (await scene.writes()).length
      await expect(scene.apply(plan)).rejects.toThrow(tampering.says)
      expect(await scene.writes()).toHaveLength(written)
    },
  )

  it.each([
    ['to the list', 'P-1023', `json_set(facts, '$.guarded', json('["op-1"]'))`],
    ['as a second list', 'P-1024', `'{"guarded":[],"guarded":["op-1"]}'`],
  ])('a guarded operation that is added %s of an approval is not sent', async (_, key, facts) => {
    const { plan } = await scene.plan('products', `external_id,unit_price\n${key},0.01\n`)
    await scene.approve(plan)
    const sql = `UPDATE outbound_approvals SET facts = ${facts} WHERE plan = @plan`
    tamper(database(), { plan, path: '' }, { what: '', sql, says: '' })
    const written = (await scene.writes()).length
    await expect(scene.apply(plan)).rejects.toThrow('is not as the audit log has it')
    expect(await scene.writes()).toHaveLength(written)
    expect(await breaks()).toContainEqual(expect.stringMatching(`${plan}.*guarded \\["op-1"\\]`))
  })

  it('a guarded operation of one approval is not one of another', async () => {
    const rows = 'external_id,unit_price\nP-1025,0.01\nP-1026,0.02\n'
    const { plan } = await scene.plan('products', rows)
    await scene.approve(plan, ['P-1025'])
    expect(statesOf(await scene.apply(plan))).toEqual({ 'P-1025': 'applied', 'P-1026': 'planned' })
    const sql = `UPDATE outbound_approvals SET facts = replace(facts, 'op-1', 'op-2')
      WHERE plan = @plan`
    tamper(database(), { plan, path: '' }, { what: '', sql, says: '' })
    await expect(scene.apply(plan)).rejects.toThrow('is not as the audit log has it')
  })

  it('an operation that is set back once it was applied is not sent a second time', async () => {
    const { plan } = await approved('P-1027')
    await scene.apply(plan)
    const sql = `UPDATE outbound_operations SET state = 'planned', attempt = 0 WHERE plan = @plan`
    tamper(database(), { plan, path: '' }, { what: '', sql, says: '' })
    const says = 'is marked as planned, and by its story it was confirmed last'
    await expect(scene.apply(plan)).rejects.toThrow(says)
    await expect(scene.show(plan)).rejects.toThrow(says)
    expect(await breaks()).toContainEqual(expect.stringContaining(`op-1 of ${plan} ${says}`))
  })

  it('a plan whose operations are all marked as over waits for a person in status', async () => {
    const { plan } = await approved('P-1028')
    const judged = { missingApproval: undefined, interrupted: undefined }
    const waits = async (): Promise<(string | undefined)[]> => {
      const at = { nowMs: scene.push.now(), judge: async () => judged, judgeEnd }
      const waiting = await waitingPlans(scene.push.outbound, 'downtown', at)
      return waiting.filter(one => one.plan === plan).map(({ detail }) => detail)
    }
    expect(await waits()).toEqual([])
    const sql = `UPDATE outbound_operations SET state = 'confirmed' WHERE plan = @plan`
    tamper(database(), { plan, path: '' }, { what: '', sql, says: '' })
    expect(await waits()).toEqual([expect.stringContaining('by its story it was never sent')])
  })

  it('nothing is sent as it was planned', async () => {
    const { plan } = await approved('P-1021')
    expect((await scene.apply(plan)).state).toBe('applied')
  })

  it('a price in a row of the database sends that of the document', async () => {
    const { plan } = await approved('P-1022')
    const connection = new Database(database())
    connection
      .prepare(`UPDATE outbound_operations SET facts = json_set(facts, '$.planned', json(?))`)
      .run('{"changes":[{"field":"unit_price","edits":[{"path":["unitPrice"],"to":"0.01"}]}]}')
    connection.close()
    expect((await scene.apply(plan)).state).toBe('applied')
    const record = (await scene.records('products')).find(one => one.externalId === 'P-1022')!
    expect(record['unitPrice']).toBe(51)
  })
})

describe('a reconciliation of which somebody has changed by hand', () => {
  let scene: AuditScene
  beforeAll(async () => {
    scene = await AuditScene.start()
  })
  afterAll(() => scene.close())

  it('the audit of a plan posts nothing, and says so', async () => {
    const snapshot = await scene.snapshot('Quarantine')
    const kept = await scene.plan(scene.count(snapshot, () => ({ counted_qty: '1' })))
    const sql = `UPDATE outbound_plans SET facts = '{}' WHERE plan = @plan`
    tamper(scene.database, { plan: kept.plan.plan, path: '' }, { what: '', sql, says: '' })
    await expect(scene.apply(kept)).rejects.toThrow('does not say which audit')
  })

  it.each(always(text => text.replace('"qty_to_post": "', '"qty_to_post": "9')))(
    '$what posts nothing, and says so',
    async tampering => {
      const snapshot = await scene.snapshot('Quarantine')
      const count = scene.count(snapshot, ({ expected }) => ({
        counted_qty: String(Number(expected) + 1),
      }))
      const kept = await scene.plan(count)
      await scene.approve(kept, 'Store manager', 'Compliance lead')
      const posted = await scene.posted()
      tamper(scene.database, { plan: kept.plan.plan, path: kept.path }, tampering)
      await expect(scene.apply(kept)).rejects.toThrow(tampering.says)
      expect(await scene.posted()).toEqual(posted)
    },
  )
})
