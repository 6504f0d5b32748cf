import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { openDestination } from '../../connectors/database.ts'
import { send } from '../../notify/channels/send.ts'
import { deliver } from '../../notify/deliver.ts'
import type { Channel } from '../../notify/settings.ts'
import { testMessage } from '../../notify/test-message.ts'
import { receiveMail, receiveWeb } from './receivers.ts'

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step()
})

const channel = (rest: Partial<Channel>): Channel => ({ id: 'ops', allowInsecure: false, ...rest })
const message = testMessage(Date.parse('2026-03-02T11:30:00Z'))
const forever = () => new AbortController().signal

async function receiver(status = 200) {
  const { came, url, close } = await receiveWeb(() => status)
  undo.push(close)
  return { came, url: `${url}/hook` }
}

test('a receiver gets the notice as JSON, as Slack reads it and as a card, with its key', async () => {
  const { came, url } = await receiver()
  for (const as of ['json', 'slack', 'teams'] as const)
    await send(channel({ url, as }), message, forever())
  expect(new Set(came.map(({ key }) => key))).toEqual(new Set([message.key]))
  const [json, slack, teams] = came.map(({ body }) => JSON.parse(body) as Record<string, unknown>)
  expect(json).toEqual(message.document)
  expect(slack!['text']).toContain('A test of this channel')
  expect(JSON.stringify(teams)).toContain('AdaptiveCard')
})

test('what Slack would read as a mention or a link is text', async () => {
  const { came, url } = await receiver()
  const document = { ...message.document, text: '<!channel> & <https://x|y>' }
  await send(channel({ url, as: 'slack' }), { ...message, document }, forever())
  expect(came[0]!.body).toContain('&lt;!channel&gt; &amp; &lt;https://x|y&gt;')
})

test('an answer that is none, and nobody there, are failures that repeat nothing of an address', async () => {
  const { url } = await receiver(503)
  await expect(send(channel({ url }), message, forever())).rejects.toThrow(/^it answered 503$/)
  await expect(
    send(channel({ url: 'http://127.0.0.1:1/?token=hidden' }), message, forever()),
  ).rejects.toThrow(/^it cannot be reached( \(E[A-Z]+\))?$/)
})

test('a mail arrives with title, text and key, and a server that refuses it is a failure', async () => {
  const { mails, url, close } = await receiveMail()
  undo.push(close)
  const mail = { smtp: url, from: 'books@example.com' }
  await send(channel({ ...mail, to: ['ann@example.com'] }), message, forever())
  expect(mails[0]).toContain('Subject: [warning] A test of this channel')
  expect(mails[0]).toContain(`Idempotency-Key: ${message.key}`)
  expect(mails[0]).toContain('Nothing is wrong')
  await expect(
    send(channel({ ...mail, to: ['ann@example.com', 'nobody@example.com'] }), message, forever()),
  ).rejects.toThrow('its server refused a receiver')
})

test('a command gets the notice on its input, none of the keys of the environment, and no shell', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tillage-test-'))
  undo.push(() => rmSync(folder, { recursive: true }))
  const out = join(folder, 'out; exit 1')
  const script = `const fs = require('node:fs')
    fs.writeFileSync(process.argv[1], fs.readFileSync(0, 'utf8') + Object.keys(process.env))`
  process.env['TILLAGE_PARTNER_KEY'] = 'hidden'
  undo.push(() => delete process.env['TILLAGE_PARTNER_KEY'])
  await send(channel({ command: [process.execPath, '-e', script, out] }), message, forever())
  const [document = '', names = ''] = readFileSync(out, 'utf8').split('\n')
  expect(JSON.parse(document)).toEqual(message.document)
  expect(names).toContain('TILLAGE_IDEMPOTENCY_KEY')
  expect(names).not.toContain('TILLAGE_PARTNER_KEY')
  const failing = channel({ command: [process.execPath, '-e', 'process.exit(4)'] })
  await expect(send(failing, message, forever())).rejects.toThrow('it ended with 4')
})

test('a command that never ends is ended', async () => {
  const hanging = channel({ command: [process.execPath, '-e', 'setInterval(() => {}, 1e6)'] })
  await expect(send(hanging, message, AbortSignal.timeout(200))).rejects.toThrow('no answer')
})

async function withDelivery(url: string) {
  const folder = mkdtempSync(join(tmpdir(), 'tillage-test-'))
  undo.push(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'tillage.db')
  const id = 'abc/1/ops'
  const document = JSON.stringify(message.document)
  const first = await openDestination({ database: path, localFiles: path }, [])
  const at = '2026-03-02T11:30:00.000Z'
  await first.notices.record([], [{ id, channel: 'ops', state: 'opened', document, at }])
  const placeOf = ({ notices }: Pick<typeof first, 'notices'>, channels: Channel[]) => ({
    notices,
    settings: { channels },
    now: () => Date.parse(at) + 1000,
  })
  return { path, id, first, placeOf, channels: [channel({ url })] }
}

test('killed between sending and remembering, it is sent again under the same key, and then no more', async () => {
  let kill: () => unknown = () => {}
  const { came, url, close } = await receiveWeb(async () => {
    await kill()
    return 200
  })
  undo.push(close)
  const { path, id, first, placeOf, channels } = await withDelivery(url)
  kill = () => first.close()
  await expect(deliver(placeOf(first, channels), id, forever())).rejects.toThrow()
  kill = () => {}
  const second = await openDestination({ database: path, localFiles: path }, [])
  undo.push(() => second.close())
  expect(await second.notices.waiting()).toMatchObject([{ id, attempts: 0 }])
  await deliver(placeOf(second, channels), id, forever())
  await deliver(placeOf(second, channels), id, forever())
  expect(came.map(({ key }) => key)).toEqual(['abc/1', 'abc/1'])
  expect(await second.notices.delivery(id)).toMatchObject({ outcome: 'taken', attempts: 1 })
  expect(await second.notices.failing()).toEqual([])
})

test('a channel that takes nothing is known as failing until it takes something', async () => {
  const { url } = await receiver(500)
  const { id, first, placeOf, channels } = await withDelivery(url)
  undo.push(() => first.close())
  await expect(deliver(placeOf(first, channels), id, forever())).rejects.toMatchObject({
    code: 'DELIVERY_FAILED',
    message: 'ops: it answered 500',
  })
  expect(await first.notices.failing()).toEqual([
    { channel: 'ops', since: '2026-03-02T11:30:00.000Z', detail: 'it answered 500' },
  ])
  const good = await receiver()
  await deliver(placeOf(first, [channel({ url: good.url })]), id, forever())
  expect(await first.notices.failing()).toEqual([])
})

test('a receiver that comes back hears of a beginning before its end, each once', async () => {
  const { url } = await receiver(503)
  const { id, first, placeOf, channels } = await withDelivery(url)
  undo.push(() => first.close())
  await expect(deliver(placeOf(first, channels), id, forever())).rejects.toThrow('503')
  const end = { id: 'abc/2/ops', channel: 'ops', state: 'closed', at: '2026-03-02T11:40:00.000Z' }
  const others = [
    { ...end, document: JSON.stringify(message.document) },
    { ...end, id: 'abcd/1/ops', document: '{}', at: '2026-03-02T11:20:00.000Z' },
  ]
  await first.notices.record([], others)
  const good = await receiver()
  const back = placeOf(first, [channel({ url: good.url })])
  await deliver(back, end.id, forever())
  await deliver(back, id, forever())
  expect(good.came.map(({ key }) => key)).toEqual(['abc/1', 'abc/2'])
})
