import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { migrate, openOutboundStore } from '../../../connectors/database.ts'
import type {
  OutboundPlan,
  OutboundTables,
  StoredReceipt,
} from '../../../connectors/destination/outbound.ts'
import { evidenceLogIn } from '../../../connectors/sql/evidence-log.ts'
import { outboundOn } from '../../../connectors/sql/outbound.ts'
import { postgresForTests } from '../../helpers/postgres.ts'
import { sized } from '../../helpers/size.ts'
import { runNamed } from '../../outbound/run-named.ts'
import { KINDS } from './databases.ts'
import type { SharedTables } from './databases.ts'

const AT = '2026-03-08T10:00:00.000Z'
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

const planNamed = (plan: string): OutboundPlan => ({
  plan,
  kind: 'push',
  hash: hashOf(plan),
  createdAt: AT,
  facts: { name: 'Piña "1"', digits: '1.50' },
})

describe.each(Object.entries(KINDS))('what is sent to the API, on %s,', (kind, open) => {
  let tables: SharedTables
  /** As many processes would have them. */
  let stores: OutboundTables[]
  let plans = 0

  beforeAll(async () => {
    tables = await open()
    stores = [1, 2, 3].map(() => outboundOn(tables.connect()))
  })
  afterAll(() => tables.close())

  async function newPlan(operations: number): Promise<string> {
    const plan = `PL-${++plans}`
    const planned = Array.from({ length: operations }, (_, at) => ({
      plan,
      op: `op-${at}`,
      token: `${kind}-${plan}-${at}`,
      state: 'planned' as const,
      attempt: 0,
      changedAt: AT,
      facts: { before: at },
    }))
    await stores[0]!.savePlan(planNamed(plan), planned)
    // The same again, by another process, changes nothing.
    await stores[1]!.savePlan({ ...planNamed(plan), hash: 'other' }, planned)
    return plan
  }

  const sending = (plan: string, op: string, run: string) =>
    ({
      plan,
      op,
      from: ['planned', 'failed'],
      to: 'submitted',
      sendsIn: run,
      facts: { sentBy: run },
      at: AT,
      event: 'sent',
      detail: run,
    }) as const

  it('is what was planned, letter for letter', async () => {
    const plan = await newPlan(2)
    expect(await stores[2]!.plan(plan)).toEqual(planNamed(plan))
    expect(await stores[2]!.plan('PL-none')).toBeUndefined()
    expect((await stores[2]!.operations(plan)).map(({ op, facts }) => [op, facts])).toEqual([
      ['op-0', { before: 0 }],
      ['op-1', { before: 1 }],
    ])
    expect((await stores[2]!.plans('push')).map(one => one.plan)).toContain(plan)
    expect(await stores[2]!.plans('reconcile')).toEqual([])
  })

  it('is recorded as sent once, however many processes want to send it', async () => {
    const tried = fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(2), fc.nat(3)), { minLength: 1, maxLength: 12 }),
      async tries => {
        const plan = await newPlan(4)
        expect(await stores[0]!.beginRun(runNamed(plan, `${plan}-a`, AT), null)).toBe(true)
        const sent = await Promise.all(
          tries.map(async ([by, op]) => ({
            op,
            sent: await stores[by]!.move(sending(plan, `op-${op}`, `${plan}-a`)),
          })),
        )
        const asked = [...new Set(tries.map(([, op]) => op))]
        expect(sent.filter(one => one.sent).map(({ op }) => op)).toHaveLength(asked.length)
        const operations = await stores[0]!.operations(plan)
        expect(operations.map(({ attempt }) => attempt)).toEqual(
          operations.map((_, op) => (asked.includes(op) ? 1 : 0)),
        )
        expect(await stores[1]!.events(plan)).toHaveLength(asked.length)
        expect(await stores[2]!.strayOperations(plan)).toEqual([])
      },
    )
    await fc.assert(tried, { numRuns: sized(15, 200) })
  })

  it('is sent by the newest run alone, and one of those that begin together is it', async () => {
    const plan = await newPlan(1)
    const begun = await Promise.all(
      stores.map((store, at) => store.beginRun(runNamed(plan, `${plan}-${at}`, AT), null)),
    )
    expect(begun.filter(Boolean)).toHaveLength(1)
    const [first] = await stores[0]!.runs(plan)
    const next = `${plan}-next`
    expect(await stores[1]!.beginRun(runNamed(plan, next, AT), first!.run)).toBe(true)
    expect(await stores[0]!.renewRun(first!.run, AT)).toBe(false)
    expect(await stores[0]!.move(sending(plan, 'op-0', first!.run))).toBe(false)
    expect(await stores[1]!.move(sending(plan, 'op-0', next))).toBe(true)
    await stores[1]!.endRun(next, AT, 'done')
    await stores[1]!.endRun(next, 'later', 'failed')
    expect((await stores[2]!.runs(plan)).at(-1)).toMatchObject({ endedAt: AT, outcome: 'done' })
    expect(await stores[1]!.renewRun(next, AT)).toBe(false)
  })

  it('is approved in an order that nobody can break, with an entry for each in the log', async () => {
    const plan = await newPlan(1)
    const approval = (by: string) => ({
      plan,
      by,
      role: 'owner',
      at: AT,
      hash: hashOf(plan),
      origin: `${by}@till`,
      facts: { guarded: ['op-0'] },
    })
    const given = await Promise.all(
      ['ana', 'ben', 'cem'].map((by, at) => stores[at]!.approve(approval(by), 0)),
    )
    expect(given.filter(Boolean)).toHaveLength(1)
    expect(await stores[0]!.approve(approval('dan'), 1)).toBe(true)
    expect((await stores[1]!.approvals(plan)).map(({ by }) => by)).toHaveLength(2)
    expect(await stores[2]!.unloggedApprovals(plan)).toEqual([])
  })

  it('has receipts in one chain, to which one of several is added', async () => {
    const plan = await newPlan(2)
    const receipt = (seq: number, op: string, previous: string | null): StoredReceipt => ({
      plan,
      seq,
      op,
      sha256: hashOf(`${plan} ${op}`),
      previousSha256: previous,
      body: `${plan} ${op}`,
    })
    const added = await Promise.all(
      stores.map((store, at) => store.addReceipt(receipt(1, `op-${at % 2}`, null), undefined)),
    )
    expect(added.filter(Boolean)).toHaveLength(1)
    const last = await stores[0]!.lastReceipt(plan)
    const other = last!.op === 'op-0' ? 'op-1' : 'op-0'
    expect(
      await stores[1]!.addReceipt(receipt(2, other, last!.sha256), { sha256: hashOf('another') }),
    ).toBe(false)
    expect(await stores[1]!.addReceipt(receipt(2, other, last!.sha256), last)).toBe(true)
    expect(await stores[2]!.receipt(plan, other)).toMatchObject({ seq: 2 })
    expect((await stores[2]!.receipts(plan)).map(({ seq }) => seq)).toEqual([1, 2])
  })

  it('is vouched for by one unbroken log, which tells a row that was changed by hand', async () => {
    const sql = tables.connect()
    expect((await evidenceLogIn(sql)).breaks).toEqual([])
    const plan = await newPlan(1)
    await sql.run('UPDATE outbound_plans SET hash = @hash WHERE plan = @plan', {
      plan,
      hash: hashOf('x'),
    })
    expect((await evidenceLogIn(sql)).breaks).toHaveLength(2)
    await sql.run('UPDATE outbound_plans SET hash = @hash WHERE plan = @plan', planNamed(plan))
    expect((await evidenceLogIn(sql)).breaks).toEqual([])
  })

  it('is not there at all where its transaction fails', async () => {
    const sql = tables.connect()
    const heads = (await evidenceLogIn(sql)).heads.length
    const operation = { op: 'op-0', token: 'same', state: 'planned', attempt: 0, changedAt: AT }
    const plan = 'PL-broken'
    const twice = [1, 2].map(() => ({ ...operation, state: 'planned' as const, plan, facts: {} }))
    await expect(stores[0]!.savePlan(planNamed(plan), twice)).rejects.toThrow(/unique/i)
    expect(await stores[1]!.plan(plan)).toBeUndefined()
    expect((await evidenceLogIn(sql)).heads).toHaveLength(heads)
    // The connection goes on.
    expect(await newPlan(1)).toMatch(/^PL-/)
  })
})

it('files of plans are kept for other machines where the database is on a server', async () => {
  const { url } = await postgresForTests()
  await migrate(url, [])
  const [one, other] = [await openOutboundStore(url), await openOutboundStore(url)]
  const bytes = Buffer.from([0, 255, 10, 39])
  await one.documents!.keep({ folder: 'PL-1', name: 'plan.jsonl', bytes })
  await other.documents!.keep({ folder: 'PL-1', name: 'plan.jsonl', bytes: Buffer.from('other') })
  await one.documents!.keep({ folder: 'PL-1/pictures', name: 'one', bytes })
  expect(await other.documents!.names('PL-1')).toEqual(['plan.jsonl'])
  expect(await other.documents!.read('PL-1', 'plan.jsonl')).toEqual(bytes)
  expect(await other.documents!.read('PL-2', 'plan.jsonl')).toBeUndefined()
  for (const store of [one, other]) await store.close()
})

it('files of plans lie in their folders alone where the database is a file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tillage-plans-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'tillage.db')
  await migrate(path, [])
  const store = await openOutboundStore(path)
  expect(store.documents).toBeUndefined()
  // The twin: it is a whole store.
  await store.savePlan(planNamed('PL-1'), [])
  expect(await store.plan('PL-1')).toEqual(planNamed('PL-1'))
  await store.close()
})
