import type { IncomingHttpHeaders } from 'node:http'
import { parseExactly } from '../values/money.ts'
import { ApiError, invalid } from './api-error.ts'

/** What a request brought: JSON, or the fields and files of a form. */
export interface Body {
  /** Plain values, to decide by; undefined if there was no body. */
  plain: unknown
  /** The same, whose numbers keep their digits, to be stored. */
  exact: unknown
}

export interface Upload {
  name: string
  type: string
  bytes: Buffer
}

/** Reading: deeper than anything that the documentation describes. */
const MAX_DEPTH = 64

/** JSON text; an empty one is no body. Refused (400) if it is not JSON or too deep. */
export function readJson(text: string): Body {
  if (text.trim() === '') return { plain: undefined, exact: undefined }
  if (depthOf(text) > MAX_DEPTH)
    throw invalid('body', `The body is nested deeper than ${MAX_DEPTH} levels`)
  try {
    return { plain: JSON.parse(text) as unknown, exact: parseExactly(text) }
  } catch {
    throw invalid('body', 'The body is not valid JSON')
  }
}

/**
 * `multipart/form-data`: texts and files by name, the files as `File` in `plain` and as `Upload` in
 * `exact`. Refused (400) without a boundary or where it breaks off.
 */
export async function readForm(bytes: Buffer, headers: IncomingHttpHeaders): Promise<Body> {
  const type = headers['content-type'] ?? ''
  if (!/boundary=/i.test(type))
    throw invalid('content-type', 'multipart/form-data needs a boundary')
  try {
    const form = await new Response(new Uint8Array(bytes), {
      headers: { 'content-type': type },
    }).formData()
    const plain: Record<string, string | File> = {}
    const exact: Record<string, string | Upload> = {}
    for (const [name, value] of form) {
      plain[name] = value
      exact[name] =
        typeof value === 'string'
          ? value
          : { name: value.name, type: value.type, bytes: Buffer.from(await value.arrayBuffer()) }
    }
    return { plain, exact }
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw invalid('body', 'The body is not a complete multipart/form-data document')
  }
}

/** How deep brackets nest outside of texts, without a call for each level. */
function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (quoted) {
      if (character === '\\') at++
      else if (character === '"') quoted = false
    } else if (character === '"') quoted = true
    else if (character === '{' || character === '[') deepest = Math.max(deepest, ++depth)
    else if (character === '}' || character === ']') depth--
  }
  return deepest
}
