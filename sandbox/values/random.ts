/**
 * Chance without a clock: everything in the sandbox follows from a seed and a number, so the same
 * request gets the same bytes.
 */

/** Mixes two numbers into 32 well-spread bits. */
export function mix(a: number, b: number): number {
  let hash = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul((b + 0x7f4a7c15) | 0, 0xc2b2ae35)
  hash ^= hash >>> 15
  hash = Math.imul(hash, 0x2c1b3c6d)
  hash ^= hash >>> 12
  hash = Math.imul(hash, 0x297a2d39)
  return (hash ^ (hash >>> 15)) >>> 0
}

/** The same for a text, such as a path or a name. */
export function mixText(seed: number, text: string): number {
  let hash = seed
  for (let at = 0; at < text.length; at++) hash = mix(hash, text.charCodeAt(at))
  return hash
}

/** A number in [0, 1) out of 32 bits. */
export const fraction = (bits: number): number => bits / 4294967296

/** A sequence of random numbers from one seed (mulberry32). */
export class Dice {
  private state: number

  constructor(seed: number) {
    this.state = seed | 0
  }

  bits(): number {
    this.state = (this.state + 0x6d2b79f5) | 0
    let hash = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state)
    hash = (hash + Math.imul(hash ^ (hash >>> 7), 61 | hash)) ^ hash
    return (hash ^ (hash >>> 14)) >>> 0
  }

  /** A whole number from 0 to `count` - 1. */
  below(count: number): number {
    return Math.floor((this.bits() / 4294967296) * count)
  }

  between(low: number, high: number): number {
    return low + this.below(high - low + 1)
  }

  chance(share: number): boolean {
    return this.bits() < share * 4294967296
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!
  }
}
