const ROOM_BYTES = 1 << 20

/**
 * What may stand between the literals of a template: ASCII text, bytes as they are, and numbers,
 * which are cents.
 */
export type Piece = string | number | Uint8Array

/**
 * JSON text written as bytes into one growing buffer. The literals of a template are turned into
 * bytes once, so that a page of a hundred records costs copies and digits instead of thousands of
 * strings: the sandbox must never be what a benchmark measures.
 */
export class JsonWriter {
  length = 0
  private bytes = Buffer.allocUnsafeSlow(ROOM_BYTES)
  private readonly literals = new WeakMap<TemplateStringsArray, Uint8Array[]>()

  /**
   * As a template tag: writer.json`{"id":"${id}","total":${cents}}`. A template may be broken into
   * lines: the breaks, and what they are indented by, are not written.
   */
  json(template: TemplateStringsArray, ...pieces: Piece[]): void {
    let literals = this.literals.get(template)
    if (literals === undefined) {
      literals = template.map(text => Buffer.from(text.replaceAll(/\n\s*/g, '')))
      this.literals.set(template, literals)
    }
    this.raw(literals[0]!)
    for (let at = 0; at < pieces.length; at++) {
      const piece = pieces[at]!
      if (typeof piece === 'number') this.cents(piece)
      else if (typeof piece === 'string') this.ascii(piece)
      else this.raw(piece)
      this.raw(literals[at + 1]!)
    }
  }

  raw(piece: Uint8Array): void {
    const size = piece.length
    if (this.length + size > this.bytes.length) this.grow(size)
    const { bytes, length } = this
    if (size > 24) bytes.set(piece, length)
    else for (let at = 0; at < size; at++) bytes[length + at] = piece[at]!
    this.length = length + size
  }

  ascii(text: string): void {
    const size = text.length
    if (this.length + size > this.bytes.length) this.grow(size)
    const { bytes, length } = this
    for (let at = 0; at < size; at++) bytes[length + at] = text.charCodeAt(at)
    this.length = length + size
  }

  /** Any text, as UTF-8. */
  text(text: string): void {
    const most = text.length * 3
    if (this.length + most > this.bytes.length) this.grow(most)
    this.length += this.bytes.write(text, this.length)
  }

  /** Money below 20 million: `1250` becomes `12.50`. */
  cents(cents: number): void {
    if (this.length + 24 > this.bytes.length) this.grow(24)
    const { bytes } = this
    let left = cents
    if (left < 0) {
      bytes[this.length++] = 0x2d
      left = -left
    }
    let digits = 3
    for (let bound = 1000; left >= bound; bound *= 10) digits++
    let at = this.length + digits
    this.length = at + 1
    for (let digit = 0; digit < digits; digit++) {
      // Integer division: the engine keeps it in registers where Math.floor would not be.
      const rest = (left / 10) | 0
      bytes[at--] = 0x30 + (left - rest * 10)
      left = rest
      if (digit === 1) bytes[at--] = 0x2e
    }
  }

  /** A copy of what was written since `from`. */
  copy(from: number): Buffer {
    const copy = Buffer.allocUnsafeSlow(this.length - from)
    this.bytes.copy(copy, 0, from, this.length)
    return copy
  }

  private grow(size: number): void {
    const bytes = Buffer.allocUnsafeSlow(Math.max(this.bytes.length * 2, this.length + size))
    this.bytes.copy(bytes, 0, 0, this.length)
    this.bytes = bytes
  }
}
