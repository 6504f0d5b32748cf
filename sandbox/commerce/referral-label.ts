import { crc32, deflateSync } from 'node:zlib'
import { encode } from 'uqr'

const PIXELS_EACH = 8
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** A label to print: the referral code as a QR code, as a black and white PNG. */
export function referralLabel(code: string): Buffer {
  const { size, data } = encode(code, { border: 4 })
  const side = size * PIXELS_EACH
  const row = (modules: readonly boolean[]): Buffer => {
    const bits = Buffer.alloc(1 + Math.ceil(side / 8), 0xff)
    bits[0] = 0
    for (let x = 0; x < side; x++)
      if (modules[Math.floor(x / PIXELS_EACH)] === true) bits[1 + (x >> 3)]! &= ~(0x80 >> (x & 7))
    return bits
  }
  const rows = data.flatMap(modules => Array.from({ length: PIXELS_EACH }, () => row(modules)))
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  // One bit a pixel, grey.
  header[8] = 1
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}
