import { isUtf8 } from 'node:buffer'

const CHARSET = /;\s*charset\s*=\s*"?([\w.:-]+)/i
/** Of pictures and PDFs nothing is ever changed, whatever is said of them. */
const IS_TEXT = /^\s*(text\/|[\w.-]+\/([\w.-]+\+)?json\b)/i

/**
 * The text of an answer as UTF-8. JSON is UTF-8 (RFC 8259, 8.1), and what is such is taken as it
 * is; some servers say another charset, Latin-1 say, and mean it. An unknown one changes nothing.
 */
export function asUtf8(body: Buffer, contentType: string): Buffer {
  const charset = CHARSET.exec(contentType)?.[1]?.toLowerCase()
  if (charset === undefined || charset === 'utf-8' || !IS_TEXT.test(contentType)) return body
  if (isUtf8(body) && !charset.startsWith('utf-16')) return body
  try {
    return Buffer.from(new TextDecoder(charset).decode(body))
  } catch {
    return body
  }
}
