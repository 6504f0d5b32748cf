/**
 * Texts as spreadsheets save them: UTF-8 and UTF-16 with their byte order mark or without, and
 * Windows-1252, the "CSV" of Excel on a western Windows. Pure.
 */

/** Without a byte order mark; undefined where it is none of these, or no text. */
export function decodeText(bytes: Uint8Array): string | undefined {
  const wide = wideEncoding(bytes)
  const text =
    wide === undefined ? (decodeAs('utf-8', bytes) ?? decodeWestern(bytes)) : decodeAs(wide, bytes)
  return text?.includes('\0') === true ? undefined : text
}

/** UTF-16, by its mark, or by the zeros of a header in plain letters. */
function wideEncoding(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 4)).toString('latin1')
  if (/^(\xFF\xFE|[^\0]\0[^\0]\0)/.test(start)) return 'utf-16le'
  return /^(\xFE\xFF|\0[^\0]\0[^\0])/.test(start) ? 'utf-16be' : undefined
}

function decodeAs(encoding: string, bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Where nothing stands for a byte, or one is a control character, it is no text of Windows. */
function decodeWestern(bytes: Uint8Array): string | undefined {
  const text = decodeAs('windows-1252', bytes)
  return text === undefined || NO_TEXT.test(text) ? undefined : text
}

// oxlint-disable-next-line no-control-regex -- they are what is looked for
const NO_TEXT = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F\u0081\u008D\u008F\u0090\u009D]/
