const FIRST_BYTES = 64 * 1024
/** Of a character in a JavaScript string, in UTF-8. */
const MOST_BYTES = 3
const LAST_ASCII = 126

/** Printable, and no writer of CSV or JSON does anything to it. */
const IS_PLAIN = Uint8Array.from({ length: LAST_ASCII + 1 }, (_, code) =>
  code < 32 || '",|\\'.includes(String.fromCharCode(code)) ? 0 : 1,
)

/**
 * A text that is written as UTF-8, piece by piece, into memory that is used again for the next one.
 * Far cheaper than to add up strings and to encode them at the end, where most pieces are short.
 */
export class ByteText {
  length = 0
  /** What was written stands at its beginning; another one as soon as more is written. */
  bytes = Buffer.allocUnsafeSlow(FIRST_BYTES)
  /** As many as a text has had so far. */
  private enough = FIRST_BYTES

  /** Any text; halves of surrogate pairs become U+FFFD. */
  put(text: string): void {
    this.makeRoom(text.length * MOST_BYTES)
    this.length += this.bytes.write(text, this.length)
  }

  /** One character of ASCII. */
  putByte(code: number): void {
    this.makeRoom(1)
    this.bytes[this.length++] = code
  }

  /**
   * A text that CSV and JSON take as it is, as nearly all are: ASCII, without what either of them
   * quotes or escapes. Of any other it writes nothing, and answers false.
   */
  putPlain(text: string): boolean {
    this.makeRoom(text.length)
    const { bytes } = this
    let end = this.length
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index)
      if (code > LAST_ASCII || IS_PLAIN[code] === 0) return false
      bytes[end++] = code
    }
    this.length = end
    return true
  }

  /** What another text holds from one place to another. */
  putFrom(other: ByteText, start: number, end: number): void {
    this.makeRoom(end - start)
    this.length += other.bytes.copy(this.bytes, this.length, start, end)
  }

  /** What was written, until something else is; the next text begins. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = this.bytes.subarray(0, this.length)
    this.length = 0
    return taken
  }

  /**
   * Begins a text where the memory of the one before was handed over to somebody else: in this
   * memory, if there is any.
   */
  useInstead(memory: ArrayBuffer | undefined): void {
    const { length } = this.bytes
    if (memory !== undefined) this.bytes = Buffer.from(memory)
    else if (length === 0) this.bytes = Buffer.allocUnsafeSlow(this.enough)
    this.enough = Math.max(this.enough, this.bytes.length)
  }

  private makeRoom(bytes: number): void {
    const needed = this.length + bytes
    if (needed <= this.bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.bytes.length))
    this.bytes.copy(larger, 0, 0, this.length)
    this.bytes = larger
  }
}
