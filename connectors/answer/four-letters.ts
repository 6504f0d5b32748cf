/**
 * Names that a text is compared with, four letters at a time: names of fields are nearly half of an
 * answer, and letter by letter they took a fifth of the time of a walk.
 */

export interface Spelling {
  readonly letters: Uint8Array
  /** From its start on; the last four end where it ends. None of a name of fewer letters. */
  readonly fours: Int32Array
}

export const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength)

export function spell(letters: Uint8Array): Spelling {
  const view = viewOf(letters)
  const last = letters.length - 4
  const places = last < 0 ? [] : [...multiplesOfFour(last), last]
  return { letters, fours: Int32Array.from(places, place => view.getInt32(place, true)) }
}

const multiplesOfFour = (end: number): number[] =>
  Array.from({ length: Math.ceil(end / 4) }, (_, number) => 4 * number)

/** Whether a name stands at this place of a text, which has room for it there. */
export function standsAt(text: DataView, at: number, { letters, fours }: Spelling): boolean {
  const last = fours.length - 1
  if (last < 0) return hasLetters(text, at, letters)
  for (let number = 0; number < last; number++)
    if (text.getInt32(at + 4 * number, true) !== fours[number]) return false
  return text.getInt32(at + letters.length - 4, true) === fours[last]
}

function hasLetters(text: DataView, at: number, letters: Uint8Array): boolean {
  for (let index = 0; index < letters.length; index++)
    if (text.getUint8(at + index) !== letters[index]) return false
  return true
}
