import { randomBytes } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { clientOf } from './asking.ts'

describe('an answer that is too slow', () => {
  /** Bytes that come steadily, so that no pause between two of them is too long. */
  const drip =
    (chunk: Buffer, everyMs: number, times = Infinity): RequestListener =>
    (_, response) => {
      let left = times
      const more = (): void => {
        if (left-- > 0) response.write(chunk)
        else response.end()
      }
      const timer = setInterval(more, everyMs)
      response.on('close', () => clearInterval(timer))
      response.writeHead(200).flushHeaders()
    }

  it('is given up after the time for an answer, although bytes keep coming', async () => {
    const client = await clientOf(drip(Buffer.from(' '), 20), { limits: { secondsPerAnswer: 0.3 } })
    await expect(client.get('/', {})).rejects.toMatchObject({
      code: 'PARTNER_TOO_SLOW',
      recovery: 'park',
      message: expect.stringContaining('after 0.3 s') as string,
    })
  })

  it('of a write is an unknown outcome as before', async () => {
    const client = await clientOf(drip(Buffer.from(' '), 20), { limits: { secondsPerAnswer: 0.3 } })
    await expect(client.send({ method: 'POST', path: '/' })).rejects.toMatchObject({
      code: 'PARTNER_UNREACHABLE',
    })
  })

  it('has more time where it is large, and comes in whole', async () => {
    const client = await clientOf(drip(Buffer.alloc(100_000), 60, 20), {
      limits: { secondsPerAnswer: 1 },
    })
    expect((await client.get('/', {})).length).toBe(2_000_000)
  })
})

describe('an answer in pieces', () => {
  it.each([true, false])('is put together byte by byte, its length told: %s', async isTold => {
    const body = randomBytes(300_000)
    const pieces = [0, 1, 65_537, 65_538, 200_000].map((from, index, starts) =>
      body.subarray(from, starts[index + 1]),
    )
    const client = await clientOf((_, response) => {
      response.writeHead(200, isTold ? { 'content-length': body.length } : {})
      const more = (): void => {
        const piece = pieces.shift()
        if (piece === undefined) response.end()
        else response.write(piece, () => setImmediate(more))
      }
      more()
    })
    const { body: received } = await client.send({ method: 'GET', path: '/', query: {} })
    expect(received.equals(body)).toBe(true)
    // Or nobody could free it.
    expect(received.buffer.byteLength).toBe(received.length)
  })
})

describe('an answer that is too large', () => {
  const limits = { megabytesPerAnswer: 1 }
  const TOO_LARGE = { code: 'PARTNER_TOO_LARGE', recovery: 'park' }

  it('is refused while it is inflated: a gzip bomb costs no more than the limit', async () => {
    const bomb = gzipSync(Buffer.alloc(60_000_000))
    expect(bomb.length).toBeLessThan(100_000)
    const client = await clientOf(
      (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
      { limits },
    )
    await expect(client.get('/', {})).rejects.toMatchObject({
      ...TOO_LARGE,
      message: expect.stringContaining('more than 1 MB') as string,
    })
  })

  it('is refused while it comes in, and the connection is given up', async () => {
    let closed: () => void
    const gone = new Promise<void>(resolve => (closed = resolve))
    const client = await clientOf(
      (_, response) => {
        const more = (): void => void (response.write(Buffer.alloc(100_000)) && setImmediate(more))
        response.on('close', closed).on('drain', more)
        more()
      },
      { limits },
    )
    await expect(client.get('/', {})).rejects.toMatchObject(TOO_LARGE)
    await gone
  })

  it('is refused by the length that it announces, before it is read', async () => {
    const client = await clientOf(
      (_, response) => response.writeHead(200, { 'content-length': '1000001' }).flushHeaders(),
      { limits },
    )
    await expect(client.get('/', {})).rejects.toMatchObject(TOO_LARGE)
  })

  it('is taken up to the limit', async () => {
    const body = 'x'.repeat(1_000_000)
    const client = await clientOf((_, response) => void response.end(body), { limits })
    expect((await client.get('/', {})).length).toBe(body.length)
  })
})
