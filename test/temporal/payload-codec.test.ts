import { defaultPayloadConverter } from '@temporalio/common'
import type { SerializationContext } from '@temporalio/common'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPayloadCodec } from '../../temporal/payload-codec.ts'

const KEY = { key: 'a key of thirty-two characters, or more', encrypt: false }
const SEALED = { ...KEY, encrypt: true }
const workflow = (workflowId: string): SerializationContext => ({
  type: 'workflow',
  namespace: 'default',
  workflowId,
})
const activity = (activityId: string): SerializationContext => ({
  type: 'activity',
  namespace: 'default',
  workflowId: 'night/downtown',
  activityId,
  isLocal: false,
})
const PLACE = workflow('night/downtown')
const payloadOf = (value: unknown) => defaultPayloadConverter.toPayload(value)
const refused = { code: 'MESSAGE_REFUSED' }

describe.each([
  ['signed', KEY],
  ['encrypted', SEALED],
])('a message that is %s', (_, protection) => {
  const codec = createPayloadCodec(protection)
  const sent = async (value: unknown, place = PLACE) =>
    (await codec.encode([payloadOf(value)], place))[0]!

  test('comes back as it was, whatever it holds', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.json().map(text => JSON.parse(text) as unknown)),
        async value => {
          const [back] = await codec.decode([await sent(value)], PLACE)
          expect(defaultPayloadConverter.fromPayload(back!)).toEqual(value)
        },
      ),
    )
    const [nothing] = await codec.decode([await sent(undefined)], PLACE)
    expect(defaultPayloadConverter.fromPayload(nothing!)).toBeUndefined()
    const empty = { ...payloadOf(undefined), data: [] as unknown as Uint8Array }
    const [back] = await codec.decode(await codec.encode([empty], PLACE), PLACE)
    expect(back!.data).toHaveLength(0)
  })

  test('is refused with any bit of it changed, or without its signature', async () => {
    const message = await sent({ store: 'downtown', days: 60 })
    const { metadata, data } = message
    for (let at = 0; at < data!.length; at++) {
      const changed = Uint8Array.from(data!)
      changed[at] = changed[at]! ^ 1
      await expect(
        codec.decode([{ metadata: metadata!, data: changed }], PLACE),
      ).rejects.toMatchObject(refused)
    }
    await expect(codec.decode([payloadOf({})], PLACE)).rejects.toMatchObject(refused)
    await expect(codec.decode([{}], PLACE)).rejects.toMatchObject(refused)
    const short = { metadata: metadata!, data: data!.subarray(0, 5) }
    await expect(codec.decode([short], PLACE)).rejects.toMatchObject(refused)
  })

  test('is refused with another key', async () => {
    const other = createPayloadCodec({ ...protection, key: 'another key of thirty-two characters' })
    await expect(other.decode([await sent(1)], PLACE)).rejects.toMatchObject(refused)
  })

  test('is refused by another workflow, and by another activity of the same one', async () => {
    const message = await sent(1)
    await expect(codec.decode([message], workflow('night/harbor'))).rejects.toMatchObject(refused)
    const result = await sent(1, activity('1'))
    await expect(codec.decode([result], activity('2'))).rejects.toMatchObject(refused)
    await expect(codec.decode([result], PLACE)).rejects.toMatchObject(refused)
    await expect(codec.decode([result], activity('1'))).resolves.toHaveLength(1)
    const elsewhere = {
      ...message,
      metadata: { ...message.metadata, 'tillage-for': Buffer.from('default/night/harbor') },
    }
    await expect(codec.decode([elsewhere], workflow('night/harbor'))).rejects.toMatchObject(refused)
  })

  test('of a schedule is for each of its runs', async () => {
    const message = await sent(1, workflow('scheduled/nightly/downtown'))
    const run = workflow('scheduled/nightly/downtown-2026-11-23T11:30:00Z')
    await expect(codec.decode([message], run)).resolves.toHaveLength(1)
    const other = workflow('scheduled/nightly/harbor-2026-11-23T11:30:00Z')
    await expect(codec.decode([message], other)).rejects.toMatchObject(refused)
  })

  test('is understood after the setting was changed', async () => {
    const other = createPayloadCodec({ ...protection, encrypt: !protection.encrypt })
    await expect(other.decode([await sent(1)], PLACE)).resolves.toHaveLength(1)
  })

  test('tells whoever listens which workflow was sent something else', async () => {
    const heard: unknown[] = []
    const listening = createPayloadCodec(protection, workflowId => heard.push(workflowId))
    await expect(listening.decode([payloadOf(1)], PLACE)).rejects.toMatchObject(refused)
    expect(heard).toEqual(['night/downtown'])
  })
})

test('a signed message is JSON that anybody may read, and an encrypted one is not', async () => {
  const text = async (protection: typeof KEY): Promise<string> => {
    const [message] = await createPayloadCodec(protection).encode([payloadOf('downtown')], PLACE)
    return Buffer.from(message!.data!).toString('utf8')
  }
  expect(await text(KEY)).toBe('"downtown"')
  expect(await text(SEALED)).not.toContain('downtown')
})

test('what the server itself says of an activity that nobody had begun is taken, and nothing else', async () => {
  const codec = createPayloadCodec(KEY)
  const word = payloadOf('ACTIVITY_ID_NOT_STARTED')
  expect(await codec.decode([word], activity('2'))).toEqual([word])
  await expect(codec.decode([word], PLACE)).rejects.toMatchObject(refused)
  await expect(codec.decode([payloadOf('DONE')], activity('2'))).rejects.toMatchObject(refused)
})
