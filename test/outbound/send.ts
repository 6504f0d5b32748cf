import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { OutboundOperation, OutboundTables } from '../../connectors/destination/outbound.ts'
import { outboundOn } from '../../connectors/sql/outbound.ts'
import { followReceipts, receiptPath, writeReceipt } from '../../outbound/receipt.ts'
import { carryOut, sendAgain, settle } from '../../outbound/send.ts'
import { SEND_RULES } from '../../outbound/sending.ts'
import type { Sending } from '../../outbound/sending.ts'
import { writeOnce } from '../../outbound/write-once.ts'
import { KINDS } from '../connectors/sql/databases.ts'
import type { SharedTables } from '../connectors/sql/databases.ts'
import type { DatabaseName } from '../helpers/project.ts'
import { Killed, PretendApi } from './pretend-api.ts'
import type { Fate, Sight } from './pretend-api.ts'

const folder = mkdtempSync(join(tmpdir(), 'tillage-test-'))
let kept: SharedTables
let store: OutboundTables
let plans = 0
const newPlan = async (operations: number): Promise<string> => {
  const plan = `P-${++plans}`
  await store.savePlan(
    { plan, kind: 'reconcile', hash: 'h', createdAt: '', facts: {} },
    Array.from({ length: operations }, (_, at): OutboundOperation => {
      const op = String(at + 1)
      const token = `${plan}x${op}`
      return { plan, op, token, state: 'planned', attempt: 0, changedAt: '', facts: {} }
    }),
  )
  await beginRun(plan)
  return plan
}

/** Of this test: nobody else sends anything. */
const beginRun = (plan: string): Promise<boolean> => {
  const at = { startedAt: '', aliveUntil: '', endedAt: null, outcome: null } as const
  const who = { user: 'kim', host: 'till-1', pid: 1, processStartedAt: null }
  return store.beginRun({ plan, run: plan, act: 'apply', ...who, ...at }, null)
}
/** Everything is allowed; what is not is tested where it stands. */
const permitted = (plan: string) => ({
  run: plan,
  writesTo: 'downtown',
  permit: async () => ['Ana'],
})

interface Scene {
  fates: Fate[]
  sights: Sight[]
  /** At which of the steps (a statement, a request, a wait) the process dies; ascending. */
  kills: number[]
  operations: number
}

const fate = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Fate>('taken') },
  { weight: 5, arbitrary: fc.constantFrom<Fate>('reply lost', 'late', 'lost') },
  { weight: 2, arbitrary: fc.constantFrom<Fate>('refused', 'busy', 'busy but taken') },
  { weight: 2, arbitrary: fc.constantFrom<Fate>('refused in doubt', 'refused but taken') },
)
const scene: fc.Arbitrary<Scene> = fc.record({
  fates: fc.array(fate, { maxLength: 6 }),
  sights: fc.array(fc.constantFrom<Sight>('whole', 'empty', 'broken'), { maxLength: 8 }),
  kills: fc.uniqueArray(fc.nat(60), { maxLength: 4 }).map(kills => kills.toSorted((a, b) => a - b)),
  operations: fc.integer({ min: 1, max: 3 }),
})

/** Counts steps, and dies at those of the scene. Each dies before or after it has acted. */
function mortal(api: PretendApi, kills: number[]): { sending(token: string): Sending } {
  let step = 0
  const around = async <Answer>(action: () => Answer | Promise<Answer>): Promise<Answer> => {
    if (kills[0] === step++) throw (kills.shift(), new Killed())
    const answer = await action()
    if (kills[0] === step++) throw (kills.shift(), new Killed())
    return answer
  }
  const watched: OutboundTables = {
    ...store,
    move: change => around(() => store.move(change)),
    note: event => around(() => store.note(event)),
  }
  return {
    sending: token => ({
      ...permitted(token.split('x')[0]!),
      store: watched,
      now: () => api.nowMs,
      sleep: ms => around(() => void (api.nowMs += ms)),
      write: {
        send: () => around(() => api.send(token)),
        search: () => around(() => api.search(token)),
      },
      rules: SEND_RULES,
    }),
  }
}

/** One apply: each operation in turn, as far as the process lives. */
async function apply(plan: string, sending: (token: string) => Sending): Promise<boolean> {
  try {
    for (const operation of await store.operations(plan))
      await carryOut(sending(operation.token), operation)
    return true
  } catch (error) {
    if (error instanceof Killed) return false
    throw error
  }
}

const LATE_MS = 30_000

/** How plans are carried out whose story is kept in a database of this kind, so many at random. */
export function sendingOn(database: DatabaseName, runs: number): void {
  beforeAll(async () => {
    kept = await KINDS[database]!()
    store = outboundOn(kept.connect())
  })
  afterAll(async () => {
    await kept.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('whatever becomes of requests, searches and processes, nothing is posted twice and nothing is lost', async () => {
    let parked = 0
    await fc.assert(
      fc.asyncProperty(scene, async ({ fates, sights, kills, operations }) => {
        const api = new PretendApi(fates, sights, LATE_MS)
        const { sending } = mortal(api, [...kills])
        const plan = await newPlan(operations)
        while (!(await apply(plan, sending)));
        // Once more, at once by two.
        await Promise.all([apply(plan, sending), apply(plan, sending)])
        // What could not be searched waits for a later round, and the process may die in that, too.
        const isOpen = ({ state }: OutboundOperation): boolean =>
          state === 'failed' || state === 'submitted'
        while ((await store.operations(plan)).some(isOpen)) await apply(plan, sending)
        for (const { token, state, op } of await store.operations(plan)) {
          const posted = api.taken.filter(one => one.token === token).length
          expect(posted).toBeLessThanOrEqual(1)
          if (state === 'confirmed') expect(posted).toBe(1)
          else if (state === 'rejected') expect(posted).toBe(0)
          else {
            expect(state).toBe('unknown')
            parked++
            const story = (await store.events(plan)).filter(event => event.op === op)
            expect(story.some(({ event, detail }) => event === 'parked' && detail !== '')).toBe(
              true,
            )
          }
        }
      }),
      { numRuns: runs },
    )
    expect(parked).toBeGreaterThan(0)
  })

  it('a commit that arrives late is found with patience, and missed by who has none', async () => {
    for (const [patienceMs, stands] of [
      [120_000, 'confirmed'],
      [10_000, 'unknown'],
    ] as const) {
      const api = new PretendApi(['late'], [], LATE_MS)
      const { sending } = mortal(api, [])
      const [operation] = await store.operations(await newPlan(1))
      const rules = { ...SEND_RULES, patienceMs }
      expect(await carryOut({ ...sending(operation!.token), rules }, operation!)).toBe(stands)
    }
  })

  it('what was refused for its pace waits for a later round where the API cannot be searched', async () => {
    const api = new PretendApi(['busy'], ['broken'], LATE_MS)
    const { sending } = mortal(api, [])
    const plan = await newPlan(1)
    const [operation] = await store.operations(plan)
    const begunMs = api.nowMs
    expect(await carryOut(sending(operation!.token), operation!)).toBe('failed')
    expect(api.nowMs - begunMs).toBeLessThanOrEqual(1000)
    expect(await apply(plan, sending)).toBe(true)
    expect(await store.operation(plan, '1')).toMatchObject({ state: 'confirmed' })
  })

  it('a refusal that may hide that it was taken is looked for before it is believed', async () => {
    for (const [fate, stands] of [
      ['refused but taken', 'confirmed'],
      ['refused in doubt', 'rejected'],
    ] as const) {
      const api = new PretendApi([fate], [], LATE_MS)
      const { sending } = mortal(api, [])
      const [operation] = await store.operations(await newPlan(1))
      expect(await carryOut(sending(operation!.token), operation!)).toBe(stands)
    }
  })

  it('what is parked is only searched for, until a named person wants it sent again', async () => {
    const api = new PretendApi(['lost'], [], LATE_MS)
    const { sending } = mortal(api, [])
    const plan = await newPlan(1)
    const one = async (): Promise<OutboundOperation> => (await store.operations(plan))[0]!
    const context = sending((await one()).token)
    expect(await carryOut(context, await one())).toBe('unknown')
    expect(await carryOut(context, await one())).toBe('unknown')
    expect((await one()).attempt).toBe(1)
    expect(await sendAgain(context, await one(), { by: 'Ana', reason: 'asked support' })).toBe(
      'confirmed',
    )
    expect(api.taken).toHaveLength(1)
    expect(await store.events(plan)).toContainEqual(
      expect.objectContaining({ event: 'sent again', by: 'Ana', detail: 'asked support' }),
    )
  })

  it('what is parked stays in doubt where the sending that a person wanted was not taken', async () => {
    const api = new PretendApi(['lost', 'busy'], [], LATE_MS)
    const { sending } = mortal(api, [])
    const plan = await newPlan(1)
    const one = async (): Promise<OutboundOperation> => (await store.operations(plan))[0]!
    const context = sending((await one()).token)
    const person = { by: 'Ana', reason: 'asked support' }
    expect(await carryOut(context, await one())).toBe('unknown')
    expect(await sendAgain(context, await one(), person)).toBe('unknown')
    expect(await carryOut(context, await one())).toBe('unknown')
    expect(api.taken).toHaveLength(0)
    expect(await sendAgain(context, await one(), person)).toBe('confirmed')
    expect(api.taken).toHaveLength(1)
  })

  it('a person does not get it sent again while the API cannot be searched, or where it is found', async () => {
    const api = new PretendApi(
      ['reply lost'],
      Array.from({ length: 30 }, () => 'broken'),
      LATE_MS,
    )
    const { sending } = mortal(api, [])
    const plan = await newPlan(1)
    const one = async (): Promise<OutboundOperation> => (await store.operations(plan))[0]!
    const context = { ...sending((await one()).token), rules: { ...SEND_RULES, patienceMs: 0 } }
    const person = { by: 'Ana', reason: 'it is urgent' }
    expect(await carryOut(context, await one())).toBe('unknown')
    expect(await sendAgain(context, await one(), person)).toBe('unknown')
    expect(api.taken).toHaveLength(1)
    while ((await sendAgain(context, await one(), person)) === 'unknown');
    expect(api.taken).toHaveLength(1)
    expect((await one()).state).toBe('confirmed')
  })

  it('a sending that does not find what it recorded in time sends nothing', async () => {
    const api = new PretendApi([], [], LATE_MS)
    const { sending } = mortal(api, [])
    const [operation] = await store.operations(await newPlan(1))
    let asleep = 0
    const context = sending(operation!.token)
    const state = await carryOut(
      {
        ...context,
        rules: { ...SEND_RULES, mostSends: 1 },
        // The machine sleeps for a minute between the record and the request.
        now: () => (asleep++ === 0 ? api.nowMs : api.nowMs + 60_000),
      },
      operation!,
    )
    expect(state).toBe('failed')
    expect(api.taken).toHaveLength(0)
  })

  it('a run that has ended, or was taken over, records and sends nothing', async () => {
    const api = new PretendApi([], [], LATE_MS)
    const { sending } = mortal(api, [])
    const plan = await newPlan(1)
    const [operation] = await store.operations(plan)
    const other = { ...(await store.runs(plan))[0]!, run: `${plan} later` }
    expect(await store.beginRun(other, null)).toBe(false)
    expect(await store.beginRun(other, plan)).toBe(true)
    expect(await carryOut(sending(operation!.token), operation!)).toBe('planned')
    const now = { ...sending(operation!.token), run: other.run }
    await store.endRun(other.run, '', 'done')
    expect(await carryOut(now, operation!)).toBe('planned')
    expect(await store.renewRun(other.run, '')).toBe(false)
    expect(api.taken).toEqual([])
  })

  it('what a run may not send any more is not recorded as sent', async () => {
    const api = new PretendApi([], [], LATE_MS)
    const { sending } = mortal(api, [])
    const plan = await newPlan(1)
    const [operation] = await store.operations(plan)
    const expired = { ...sending(operation!.token), permit: () => Promise.reject(new Error('no')) }
    await expect(carryOut(expired, operation!)).rejects.toThrow('no')
    expect(await store.operations(plan)).toMatchObject([{ state: 'planned', attempt: 0 }])
    expect(api.taken).toEqual([])
  })

  it('what is settled is never sent: found is confirmed, absent is given up', async () => {
    for (const [fate, stands] of [
      ['reply lost', 'confirmed'],
      ['late', 'confirmed'],
      ['lost', 'abandoned'],
    ] as const) {
      const api = new PretendApi([fate], [], LATE_MS)
      const { sending } = mortal(api, [])
      const plan = await newPlan(1)
      const [operation] = await store.operations(plan)
      const at = new Date(api.nowMs).toISOString()
      const step = { plan, op: '1', at, event: 'sent', detail: '', sendsIn: plan } as const
      await store.move({ ...step, from: ['planned'], to: 'submitted' })
      api.send(operation!.token)
      const [sent] = await store.operations(plan)
      expect(await settle(sending(operation!.token), sent!, 'undone')).toBe(stands)
      expect(api.taken.length).toBeLessThanOrEqual(1)
    }
  })

  it('a write that the last reading refuses is not sent, and is stale or unchanged', async () => {
    const plan = await newPlan(2)
    const [first, second] = await store.operations(plan)
    const never: Sending['write']['search'] = async () => {
      throw new Error('nothing was sent, so there is nothing to search for')
    }
    const sending = (outcome: Awaited<ReturnType<Sending['write']['send']>>): Sending => ({
      ...permitted(plan),
      store,
      now: Date.now,
      sleep: async () => {},
      write: { send: async () => outcome, search: never },
      rules: SEND_RULES,
    })
    expect(await carryOut(sending({ kind: 'stale', why: 'edited since' }), first!)).toBe('stale')
    expect(await carryOut(sending({ kind: 'unchanged' }), second!)).toBe('unchanged')
    expect(
      await carryOut(sending({ kind: 'unchanged' }), (await store.operation(plan, '1'))!),
    ).toBe('stale')
    expect((await store.events(plan)).map(({ event }) => event)).toEqual([
      'sent',
      'stale',
      'sent',
      'unchanged',
    ])
  })

  it('receipts of a plan are a chain, and the file of one that was not finished comes later', async () => {
    const plan = await newPlan(2)
    const receipts = join(folder, 'receipts')
    const first = await writeReceipt(store, receipts, { plan_id: plan, op_id: '1', after: {} })
    const [firstPath, secondPath] = [1, 2].map(seq => receiptPath(receipts, { plan, seq }))
    rmSync(firstPath!, { force: true })
    const second = await writeReceipt(store, receipts, { plan_id: plan, op_id: '2', after: {} })
    expect(second.previousSha256).toBe(first.sha256)
    expect(readFileSync(firstPath!, 'utf8')).toBe(first.body)
    expect(followReceipts(secondPath!)).toEqual({ chain: [firstPath], problems: [] })
    const again = await writeReceipt(store, receipts, {
      plan_id: plan,
      op_id: '1',
      after: { a: 1 },
    })
    expect(again.sha256).toBe(first.sha256)
  })

  it('receipts go on after those in the folder that a database from a backup does not know', async () => {
    const plan = await newPlan(2)
    const receipts = join(folder, 'receipts')
    const body = `${JSON.stringify({ seq: 1, plan_id: plan, op_id: '1', previous_sha256: null })}\n`
    const [known, own] = [1, 2].map(seq => receiptPath(receipts, { plan, seq }))
    writeOnce(known!, body)
    await writeReceipt(store, receipts, { plan_id: plan, op_id: '1', after: {} })
    const { seq } = await writeReceipt(store, receipts, { plan_id: plan, op_id: '2', after: {} })
    expect(seq).toBe(3)
    expect(readFileSync(known!, 'utf8')).toBe(body)
    const newest = receiptPath(receipts, { plan, seq: 3 })
    expect(followReceipts(newest)).toEqual({ chain: [own, known], problems: [] })
  })

  it.each([
    ['no receipt', {}],
    ['of another plan', { seq: 1, plan_id: 'other', op_id: '1', previous_sha256: null }],
    ['of another place', { seq: 7, plan_id: 'own', op_id: '1', previous_sha256: null }],
    [
      'without its predecessor',
      { seq: 1, plan_id: 'own', op_id: '1', previous_sha256: 'a'.repeat(64) },
    ],
  ])(
    'a file that is %s is in the way of a receipt, and neither replaced nor followed',
    async (_what, file) => {
      const plan = await newPlan(1)
      const receipts = join(folder, 'receipts')
      const path = receiptPath(receipts, { plan, seq: 1 })
      const text = JSON.stringify(file).replace('own', plan)
      writeOnce(path, text)
      await expect(
        writeReceipt(store, receipts, { plan_id: plan, op_id: '1', after: {} }),
      ).rejects.toMatchObject({ code: 'EVIDENCE_CHANGED' })
      expect(readFileSync(path, 'utf8')).toBe(text)
      expect(await store.receipts(plan)).toEqual([])
    },
  )
}
