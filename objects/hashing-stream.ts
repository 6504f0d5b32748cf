import { createHash } from 'node:crypto'
import { Transform } from 'node:stream'
import type { TransformCallback } from 'node:stream'

/** Hands on what comes, and knows its sha256 at the end. */
export class HashingStream extends Transform {
  private readonly hash = createHash('sha256')

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.hash.update(chunk)
    done(null, chunk)
  }

  /** Once, after the end. */
  sha256(): string {
    return this.hash.digest('hex')
  }
}
