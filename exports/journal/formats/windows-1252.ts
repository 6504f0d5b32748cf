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

/**
 * A text in characters that have a byte: others become their plain letters (`ş` is `s`, a
 * full-width quote is a quote), and at last `_`.
 */
export const inWindows1252 = (text: string): string =>
  Array.from(text.normalize('NFC'))
    .flatMap(character => {
      if (byteOf(character) !== undefined) return [character]
      const letters = Array.from(character.normalize('NFKD')).filter(part => !/\p{M}/u.test(part))
      return letters.map(letter => (byteOf(letter) === undefined ? '_' : letter))
    })
    .join('')

/** The bytes of such a text. */
export const toWindows1252 = (text: string): Uint8Array =>
  Uint8Array.from(Array.from(inWindows1252(text)), character => byteOf(character)!)
