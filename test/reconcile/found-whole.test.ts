import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasTrouble } from '../../commands/reconcile/plans.ts'
import { findPosting, readHistory } from '../../reconcile/find-posting.ts'
import type { KeptPlan } from '../../reconcile/plan-files.ts'
import type { ShownPlan } from '../../reconcile/show-plan.ts'
import { AuditScene } from './audit-scene.ts'
import type { Asked, Speak, Spoken } from './between.ts'

let scene: AuditScene
beforeAll(async () => {
  scene = await AuditScene.start()
})
afterAll(() => scene.close())

const TOKEN = 'abc123'
const SOUGHT = { token: TOKEN, inventoryId: 'R' }
const ours = { id: 'H1', note: `count [tlg:${TOKEN}]`, inventoryId: 'R' }

describe('in a whole history, a posting', () => {
  it('is found by its token in its room, whatever stands in other entries', () => {
    const odd = [{}, { note: 7 }, { note: null, id: 'H0' }, { id: 'H2', note: '[tlg:other]' }]
    expect(findPosting([...odd, ours], SOUGHT)).toEqual({ kind: 'found', record: ours })
    expect(findPosting(odd, SOUGHT)).toEqual({ kind: 'absent' })
  })

  it('is found where an entry does not say its room, or stands there twice as one record', () => {
    const { inventoryId: _, ...roomless } = ours
    expect(findPosting([roomless], SOUGHT)).toMatchObject({ kind: 'found' })
    expect(findPosting([ours, ours], SOUGHT)).toMatchObject({ kind: 'found' })
  })

  it.each([
    { what: 'in another room', entries: [{ ...ours, inventoryId: 'S' }], says: 'another room (S)' },
    { what: 'deleted since', entries: [{ ...ours, deleted: true }], says: 'deleted since' },
    { what: 'deleted at a time', entries: [{ ...ours, deleted: 1.7e12 }], says: 'deleted since' },
    { what: 'twice', entries: [ours, { ...ours, id: 'H9' }], says: '2 times: H1, H9' },
  ])('is named and not believed: $what', ({ entries, says }) => {
    expect(findPosting(entries, SOUGHT)).toEqual({
      kind: 'odd',
      why: expect.stringContaining(says) as string,
    })
  })
})

/** Two rooms, of each one lot is two short. */
async function twoRooms(): Promise<KeptPlan> {
  const snapshot = await scene.snapshot()
  const short = new Set<string>()
  for (const { lineId, room, expected, unit } of snapshot.lines)
    if (![...short].some(one => one.startsWith(room)) && unit === 'EACH' && Number(expected) > 5)
      short.add(`${room}/${lineId}`)
  const kept = await scene.plan(
    scene.count(snapshot, ({ lineId, room, expected }) => ({
      counted_qty: short.has(`${room}/${lineId}`) ? String(Number(expected) - 2) : expected,
    })),
  )
  expect(kept.document.operations).toHaveLength(2)
  await scene.approve(kept, 'Store manager', 'Compliance lead')
  return kept
}

/** One apply, through a server that says something else than the sandbox. */
const applyThrough = async (kept: KeptPlan, speak: Speak): Promise<ShownPlan> =>
  scene.apply(kept, scene.reconciling(await scene.openBehind(speak)))

const isPost = ({ method, url }: Asked): boolean =>
  method === 'POST' && url.endsWith('/reconciliations')
const isHistory = ({ method, url }: Asked): boolean =>
  method === 'GET' && url.includes('/reconciliations?')

const json = (status: number, body: unknown): Spoken => ({ status, body: JSON.stringify(body) })

it('an answer whose record the history never shows is no confirmation, and is named', async () => {
  const kept = await twoRooms()
  const shown = await applyThrough(kept, async asked =>
    isPost(asked)
      ? json(200, { ...(JSON.parse(asked.body) as object), id: 'never-shown' })
      : undefined,
  )
  for (const operation of shown.operations) {
    expect(operation.state).toBe('unknown')
    expect(operation.error).toContain('reconciliation never-shown, and the history does not show')
  }
  expect(hasTrouble(shown)).toBe(true)
})

it('a key that is refused is tried three times for each room, and not for minutes', async () => {
  const kept = await twoRooms()
  let posts = 0
  const shown = await applyThrough(kept, async asked => {
    if (!isPost(asked)) return undefined
    posts++
    return json(401, {})
  })
  expect(shown.operations.map(({ state }) => state)).toEqual(['failed', 'failed'])
  expect(shown.operations[0]!.error).toContain('PARTNER_KEYS')
  expect(posts).toBe(6)
})

it('a token in a record of another room is no confirmation, and is named', async () => {
  const kept = await twoRooms()
  const [, second] = kept.document.operations
  const shown = await applyThrough(kept, async asked => {
    if (!isPost(asked)) return undefined
    const body = JSON.parse(asked.body) as { note: string; inventoryId: string }
    if (body.inventoryId !== second!.inventory_id) return undefined
    const answer = await asked.pass()
    const record = JSON.parse(answer.body) as { id: string }
    const patch = { inventoryId: kept.document.operations[0]!.inventory_id }
    await scene.change('reconciliations', record.id, patch)
    return json(200, { ...record, ...patch })
  })
  expect(shown.operations.map(({ state }) => state)).toEqual(['confirmed', 'unknown'])
  expect(shown.operations[1]!.error).toContain('is of another room')
})

it('an earlier record that is hidden, and an entry that is null, hold a room up for minutes only', async () => {
  const kept = await twoRooms()
  let posts = 0
  let hidden: string | undefined
  let entries: unknown[] = []
  const api = await scene.openBehind(async asked => {
    if (isPost(asked) && ++posts === 2) return json(429, {})
    if (!isHistory(asked)) return undefined
    const start = Number(new URL(asked.url, 'http://api').searchParams.get('start'))
    if (start === 0) {
      const answer = JSON.parse((await asked.pass()).body) as { values: { id: string }[] }
      if (posts === 1) hidden ??= answer.values[0]!.id
      entries = [...answer.values.filter(({ id }) => posts < 2 || id !== hidden), null]
    }
    return json(200, { values: entries.slice(start), total: entries.length })
  })
  const reconciling = scene.reconciling(api)
  const shown = await scene.apply(kept, reconciling)
  expect(shown.operations.map(({ state }) => state)).toEqual(['confirmed', 'failed'])
  expect(shown.story.at(-1)!.detail).toContain('which it has just shown')
  const later = { ...reconciling, now: () => Date.now() + 11 * 60_000 }
  const done = await scene.apply(kept, later)
  expect(done.operations.map(({ state }) => state)).toEqual(['confirmed', 'confirmed'])
})

it('a history with an entry that is null is read', async () => {
  const api = await scene.openBehind(async asked =>
    isHistory(asked) ? json(200, { values: [null, ours, null], total: 3 }) : undefined,
  )
  expect(await readHistory(api)).toEqual([{}, ours, {}])
})

it('a line that the API left out is not confirmed, and its room says so', async () => {
  const kept = await twoRooms()
  const { op_id: op, inventory_id: room } = kept.document.operations[0]!
  const shown = await applyThrough(kept, async asked => {
    if (!isPost(asked)) return undefined
    const body = JSON.parse(asked.body) as { inventoryId: string; productLossRequests: object[] }
    const [line] = kept.document.lines.filter(one => one.op_id === op)
    const asItIs = [{ ...body.productLossRequests[0], newQuantity: Number(line!.qty_before) }]
    return body.inventoryId === room
      ? asked.pass(JSON.stringify({ ...body, productLossRequests: asItIs }))
      : undefined
  })
  const left = shown.lines.filter(line => line.op_id === op)
  expect(left).toMatchObject([{ state: 'rejected', discrepancy: 'not taken' }])
  expect(shown.operations[0]!.error).toContain(left[0]!.batch_id)
  expect(hasTrouble(shown)).toBe(true)
})

it('what the API said when it refused stands in the story and with the room, without keys', async () => {
  const kept = await twoRooms()
  const message = 'package is on hold by the state system; apiKey=K-123 of eve@example.com'
  const shown = await applyThrough(kept, async asked =>
    isPost(asked) ? json(400, { field: 'inventoryId', message }) : undefined,
  )
  const says = 'the API says: package is on hold by the state system; apiKey=*** of ***'
  for (const operation of shown.operations) {
    expect(operation.state).toBe('rejected')
    expect(operation.error).toContain(says)
  }
  expect(shown.story.filter(({ detail }) => detail.includes(says))).toHaveLength(2)
})

it('a room that gets 429 while the history cannot be read waits, and the others go', async () => {
  const kept = await twoRooms()
  const [first] = kept.document.operations
  let isBlind = false
  const speak = async (asked: Asked): Promise<Spoken | undefined> => {
    const isFirst = asked.body.includes(first!.inventory_id)
    if (isPost(asked) && isFirst && !isBlind) {
      isBlind = true
      return json(429, {})
    }
    if (isPost(asked)) isBlind = false
    return isHistory(asked) && isBlind ? json(403, {}) : undefined
  }
  const begunMs = Date.now()
  const waits = await applyThrough(kept, async asked => {
    const answer = await speak(asked)
    // The second room sees a history again.
    if (isHistory(asked) && answer !== undefined) isBlind = false
    return answer
  })
  expect(waits.operations.map(({ state }) => state)).toEqual(['failed', 'confirmed'])
  expect(Date.now() - begunMs).toBeLessThan(60_000)
  const done = await scene.apply(kept)
  expect(done.operations.map(({ state }) => state)).toEqual(['confirmed', 'confirmed'])
})
