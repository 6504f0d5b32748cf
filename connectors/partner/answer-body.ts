import type { Dispatcher } from 'undici'
import { freeBytes } from '../free-bytes.ts'
import { asUtf8 } from './charset.ts'
import type { Deadline } from './deadline.ts'
import { AnswerTooLarge, inflated } from './inflate.ts'

/**
 * The body of an answer as text, whatever it was compressed with; more than `maxBytes` of it, on
 * the wire or inflated, is an AnswerTooLarge.
 */
export async function readBody(
  answer: Dispatcher.ResponseData,
  maxBytes: number,
  deadline: Deadline,
): Promise<Buffer> {
  return readText(answer, await readBytes(answer, maxBytes, deadline), maxBytes)
}

/** Room for an answer that does not say how long it is. */
const UNTOLD_BYTES = 65_536

/**
 * The bytes as they came over the wire; the connection is given up as soon as they are too many.
 * Each piece is copied into its place as it comes, and is garbage before V8 moves it to where it
 * would stay until everything is collected.
 */
async function readBytes(
  { body, headers }: Dispatcher.ResponseData,
  maxBytes: number,
  deadline: Deadline,
): Promise<Buffer> {
  const told = Number(headers['content-length'] ?? 0)
  let whole = Buffer.allocUnsafeSlow(told > 0 && told <= maxBytes ? told : UNTOLD_BYTES)
  let bytes = told > maxBytes ? Infinity : 0
  if (bytes <= maxBytes)
    for await (const piece of body as AsyncIterable<Buffer>) {
      const at = bytes
      bytes += piece.length
      if (bytes > maxBytes) break
      deadline.received(piece.length)
      if (bytes > whole.length) whole = ofLength(whole, 2 * bytes)
      piece.copy(whole, at)
      freeBytes(piece)
    }
  if (bytes <= maxBytes) return ofLength(whole, bytes)
  // Reading the rest of it fails, which is intended.
  body.on('error', () => {}).destroy()
  throw new AnswerTooLarge()
}

/** The same bytes, cut off or with room behind them; their memory is theirs alone. */
const ofLength = (whole: Buffer<ArrayBuffer>, bytes: number): Buffer<ArrayBuffer> =>
  whole.length === bytes ? whole : Buffer.from(whole.buffer.transfer(bytes))

const BYTE_ORDER_MARK = Buffer.from('\ufeff')

/**
 * A refusal counts by its status, also where its words cannot be read, and where nothing was sent
 * nothing was compressed, whatever a header says. A byte order mark says nothing about JSON; some
 * servers send one.
 */
async function readText(
  { statusCode, headers }: Dispatcher.ResponseData,
  body: Buffer,
  maxBytes: number,
): Promise<Buffer> {
  if (body.length === 0) return body
  try {
    const bytes = await inflated(body, String(headers['content-encoding'] ?? ''), maxBytes)
    const text = asUtf8(bytes, String(headers['content-type'] ?? ''))
    const isMarked = text.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
    return isMarked ? text.subarray(BYTE_ORDER_MARK.length) : text
  } catch (error) {
    if (statusCode >= 400) return Buffer.alloc(0)
    throw error
  }
}
