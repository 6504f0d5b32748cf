/**
 * Which records of a list have a text in a field: kept up to date record by record, so that a
 * look-up reads no list.
 */
export class FieldIndex {
  private readonly field: string
  private readonly numbersOf = new Map<string, Set<number>>()
  private readonly valueOf = new Map<number, string>()

  constructor(field: string) {
    this.field = field
  }

  /** What record `number` is now; undefined: it is gone. */
  set(number: number, text: string | undefined): void {
    const before = this.valueOf.get(number)
    const value =
      text === undefined ? undefined : (JSON.parse(text) as Record<string, unknown>)[this.field]
    if (before === value) return
    if (before !== undefined) {
      this.numbersOf.get(before)!.delete(number)
      this.valueOf.delete(number)
    }
    if (typeof value !== 'string') return
    this.valueOf.set(number, value)
    const numbers = this.numbersOf.get(value)
    if (numbers === undefined) this.numbersOf.set(value, new Set([number]))
    else numbers.add(number)
  }

  find(value: string): number[] {
    return [...(this.numbersOf.get(value) ?? [])].sort((a, b) => a - b)
  }
}
