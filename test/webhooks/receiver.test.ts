import { request } from 'node:http'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { NewHint } from '../../connectors/destination/hints.ts'
import { createFindStore, newSecret } from '../../webhooks/address.ts'
import { MOST_BODY_BYTES, startReceiver } from '../../webhooks/receiver.ts'
import type { Receiver } from '../../webhooks/receiver.ts'

const secret = newSecret()
let kept: NewHint[]
let isFull: boolean
let receiver: Receiver
beforeEach(async () => {
  kept = []
  isFull = false
  receiver = await startReceiver({
    listen: { host: '127.0.0.1', port: 0 },
    findStore: createFindStore([{ store: 'downtown', secret }]),
    keep: hint => {
      if (isFull) return Promise.reject(new Error('the disk is full'))
      kept.push(hint)
      return Promise.resolve()
    },
  })
})
afterEach(() => receiver.close())

interface Answer {
  status: number
  body: string
}

function send(path: string, body: Buffer | string, method = 'POST'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const url = `http://${receiver.address}${path}`
    const sent = request(url, { method, agent: false }, answer => {
      let text = ''
      answer.on('data', part => (text += String(part)))
      answer.on('end', () => resolve({ status: answer.statusCode!, body: text }))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

const event = JSON.stringify({ webHookType: 'UPDATE_PRODUCT', id: 'p1' })
const path = `/tillage/downtown/${secret}`

it('an event at its address is kept, then answered with 200 and nothing', async () => {
  expect(await send(path, event)).toEqual({ status: 200, body: '' })
  expect(await send(`/downtown/${secret}`, '')).toEqual({ status: 200, body: '' })
  expect(kept).toEqual([
    { store: 'downtown', stream: 'products', id: 'p1' },
    { store: 'downtown', stream: 'transactions' },
  ])
})

it.each([
  ['/tillage/downtown/wrong', 404],
  [`/tillage/harbor/${secret}`, 404],
  ['/', 404],
  ['//', 404],
])('POST to %s is %i', async (wrong, status) => {
  expect(await send(wrong, event)).toEqual({ status, body: '' })
  expect(kept).toEqual([])
})

it('another method is 405', async () => {
  expect(await send(path, event, 'PUT')).toEqual({ status: 405, body: '' })
  expect(kept).toEqual([])
})

it('a body of the limit is taken, and one byte more is 413', async () => {
  expect((await send(path, Buffer.alloc(MOST_BODY_BYTES, ' '))).status).toBe(200)
  expect((await send(path, Buffer.alloc(MOST_BODY_BYTES + 1, ' '))).status).toBe(413)
  expect(kept).toHaveLength(1)
})

it('what could not be kept is not answered with 200', async () => {
  isFull = true
  expect(await send(path, event)).toEqual({ status: 503, body: '' })
})

it('an address that another program has is named', async () => {
  const [host, port] = receiver.address.split(':') as [string, string]
  const order = { listen: { host, port: Number(port) }, findStore: () => undefined }
  await expect(startReceiver({ ...order, keep: async () => {} })).rejects.toThrow(
    `webhooks cannot listen on ${receiver.address} (EADDRINUSE)`,
  )
})
