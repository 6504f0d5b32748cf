/**
 * Fields that hold credentials: they are dropped before anything of an answer is written, wherever
 * in a record they stand, and so are in no table, no `raw`, no version and no dead letter (INV-10).
 * The documentation has `pin` and `password` on employees and consumers, `secretKey` on card
 * readers, `deviceToken` on devices; the others are what such fields are called elsewhere.
 */
export const SECRET_FIELDS: readonly string[] = [
  'pin',
  'pinCode',
  'vehiclePin',
  'passcode',
  'password',
  'passwordHash',
  'passwd',
  'secret',
  'secretKey',
  'clientSecret',
  'privateKey',
  'apiKey',
  'accessToken',
  'authToken',
  'refreshToken',
  'deviceToken',
]

/**
 * Where secret fields stand in the text of an answer, noted while it is walked, so that they can be
 * cut out before anything else is done with it. What is left is the same JSON without them.
 */
export class SecretCuts {
  /** Pairs of where a cut begins and where it ends, in order; none overlaps another. */
  readonly #cuts: number[] = []
  #bytes = 0

  /** How many bytes are cut so far. */
  get bytes(): number {
    return this.#bytes
  }

  /**
   * A secret field that ends at `end`. In its object the last field that stays ends at `keptEnd`;
   * where none came before, `keptEnd` is where the fields begin.
   */
  add(keptEnd: number, end: number): void {
    const cuts = this.#cuts
    // Secrets within this one, and its neighbours right before it.
    while (cuts.length > 0 && cuts.at(-2)! >= keptEnd) {
      this.#bytes -= cuts.at(-1)! - cuts.at(-2)!
      cuts.length -= 2
    }
    cuts.push(keptEnd, end)
    this.#bytes += end - keptEnd
  }

  /** A copy of the text without the fields; the text itself where there are none. */
  cutOut(json: Buffer): Buffer {
    const cuts = this.#cuts
    if (cuts.length === 0) return json
    const copy = Buffer.allocUnsafeSlow(json.length - this.#bytes)
    let length = 0
    let from = 0
    for (let at = 0; at < cuts.length; at += 2) {
      length += json.copy(copy, length, from, cuts[at])
      from = cuts[at + 1]!
    }
    json.copy(copy, length, from)
    return copy
  }
}
