import { isUtf8 } from 'node:buffer'
import { promisify } from 'node:util'
import { gunzip, inflate } from 'node:zlib'
import type { Dispatcher } from 'undici'
import { freeBytes } from '../cells.ts'

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

/** More than an answer may have; turned into a PartnerError that names the request. */
export class AnswerTooLarge extends Error {}

/** Compressed in a way that we did not ask for. `encoding` is a name of a known form. */
export class UnknownEncoding extends Error {
  readonly encoding: string
  constructor(encoding: string) {
    super('an encoding that nobody asked for')
    this.encoding = /^[\w-]{1,20}(, ?[\w-]{1,20}){0,3}$/.test(encoding) ? encoding : 'another'
  }
}

/** Says that it is compressed, and is not, or not to its end. */
export class DamagedBody extends Error {
  readonly encoding: string
  constructor(encoding: string, cause: unknown) {
    super('a body that cannot be inflated', { cause })
    this.encoding = encoding
  }
}

const INFLATE: ReadonlyMap<string, typeof gunzip> = new Map([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['deflate', inflate],
])

/**
 * The bytes of an answer that were sent under a `Content-Encoding`, at most `maxBytes` of them.
 * Off the main thread, so that heartbeats go on. A large chunk size halves the time that it takes.
 */
export async function inflated(body: Buffer, header: string, maxBytes: number): Promise<Buffer> {
  const encodings = header
    .split(',')
    .map(name => name.trim().toLowerCase())
    .filter(name => name !== '' && name !== 'identity')
  const [encoding] = encodings
  if (encoding === undefined) return body
  const way = INFLATE.get(encoding)
  // Twice over is a way to hide how much there is.
  if (way === undefined || encodings.length > 1) throw new UnknownEncoding(header)
  try {
    return await promisify<Buffer, object, Buffer>(way)(body, {
      chunkSize: 512 * 1024,
      maxOutputLength: maxBytes,
    })
  } catch (error) {
    throw (error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE'
      ? new AnswerTooLarge()
      : new DamagedBody(encoding, error)
  }
}

const CHARSET = /;\s*charset\s*=\s*"?([\w.:-]+)/i
/** Of pictures and PDFs nothing is ever changed, whatever is said of them. */
const IS_TEXT = /^\s*(text\/|[\w.-]+\/([\w.-]+\+)?json\b)/i

/**
 * The text of an answer as UTF-8. JSON is UTF-8 (RFC 8259, 8.1), and what is such is taken as it
 * is; some servers say another charset, Latin-1 say, and mean it. An unknown one changes nothing.
 */
function asUtf8(body: Buffer, contentType: string): Buffer {
  const charset = CHARSET.exec(contentType)?.[1]?.toLowerCase()
  if (charset === undefined || charset === 'utf-8' || !IS_TEXT.test(contentType)) return body
  if (isUtf8(body) && !charset.startsWith('utf-16')) return body
  try {
    return Buffer.from(new TextDecoder(charset).decode(body))
  } catch {
    return body
  }
}

/** How the escape of a surrogate begins, in either case. */
const SURROGATES = ['\\ud', '\\uD']

/** A pair of surrogates, half of one, or any other escape. */
const ESCAPE =
  /\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|[^])/g

/**
 * An answer as Unicode: the character for what is unreadable (U+FFFD) stands where bytes are no
 * UTF-8 (RFC 8259, 8.1), and where an escape is half of a surrogate pair (8.2), as of a text that
 * was cut within an emoji. SQLite would keep either as bytes that no other program can read as
 * text, and that are not the same text when they come back. The bytes may be changed in place.
 */
export function wellFormed(answer: Buffer): Buffer {
  const json = isUtf8(answer) ? answer : Buffer.from(answer.toString('utf8'))
  if (SURROGATES.some(start => json.includes(start, 0, 'latin1'))) replaceHalves(json)
  return json
}

/** The escape keeps its length, so every byte keeps its place. */
function replaceHalves(json: Buffer): void {
  for (const { index, 1: half } of json.toString('latin1').matchAll(ESCAPE))
    if (half !== undefined) json.write('\\ufffd', index, 'latin1')
}

/** Of each second: an answer that comes more slowly than this is at its end some time. */
const BYTES_PER_SECOND = 50_000

/** Bounds the time of one answer as a whole, however steadily its bytes come. */
interface Deadline {
  /** Aborted when the answer is too slow. */
  signal: AbortSignal
  /** More time for an answer that goes on: a second for each 50 kB. */
  received(bytes: number): void
  stop(): void
}

export function startDeadline(ms: number): Deadline {
  const controller = new AbortController()
  let endMs = performance.now() + ms
  const checkStall = (): void => {
    const leftMs = endMs - performance.now()
    if (leftMs > 0) timer = setTimeout(checkStall, leftMs)
    else controller.abort()
  }
  let timer = setTimeout(checkStall, ms)
  return {
    signal: controller.signal,
    received: bytes => void (endMs += (bytes / BYTES_PER_SECOND) * 1000),
    stop: () => clearTimeout(timer),
  }
}
