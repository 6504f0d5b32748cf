import { promisify } from 'node:util'
import { gunzip, inflate } from 'node:zlib'

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
