/**
 * The 32 places where Windows-1252 is not Latin-1, by their characters: the euro, quotes, dashes.
 */
const OWN_BYTES: ReadonlyMap<string, number> = new Map(
  Array.from(
    new TextDecoder('windows-1252').decode(
      Uint8Array.from({ length: 32 }, (_, index) => 0x80 + index),
    ),
  ).map((character, index) => [character, 0x80 + index]),
)

function byteOf(character: string): number | undefined {
  const code = character.codePointAt(0)!
  return code < 0x80 || (code >= 0xa0 && code <= 0xff) ? code : OWN_BYTES.get(character)
}

/** Whether each character of a text has a byte. */
export const isWindows1252 = (text: string): boolean =>
  Array.from(text.normalize('NFC')).every(character => byteOf(character) !== undefined)

/** A text as bytes; what has none becomes its plain letter (`ş` is `s`), and at last `_`. */
export function toWindows1252(text: string): Uint8Array {
  const bytes = Array.from(text.normalize('NFC')).flatMap((character): number[] => {
    const byte = byteOf(character)
    if (byte !== undefined) return [byte]
    const letters = Array.from(character.normalize('NFKD')).filter(part => !/\p{M}/u.test(part))
    return letters.map(letter => byteOf(letter) ?? '_'.charCodeAt(0))
  })
  return Uint8Array.from(bytes)
}
