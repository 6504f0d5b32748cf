import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What ends an attribute, begins an element, and is a formula in a spreadsheet. */
export const HOSTILE = `=cmd|' /C calc'!A1 '"><script>alert(1)</script><img src=x onerror=alert(1)>`

/** Without these no record is known again, or read at all; the API itself makes them. */
const KEPT = /^_?id$|ids?$|date|time|created|modified|zone|unit|currency|limit|total|amount|price/i

export interface HostileApi {
  baseUrl: string
  close(): Promise<void>
}

/**
 * The same API, of which every text is an attack: names, notes, states, licences, words for types.
 * Numbers, ids and times stay as they are, so that its records are loaded, shown and counted.
 */
export async function startHostileApi(target: string): Promise<HostileApi> {
  const server = createServer((request, reply) => void answerPoisoned(target, request, reply))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise(resolve => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

/** The text of the JSON, so that no number loses a digit. */
const poisoned = (text: string): string =>
  text.replaceAll(
    /"((?:[^"\\]|\\.)*)"(\s*:\s*)"((?:[^"\\]|\\.)*)"/g,
    (whole, key: string, colon: string, value: string) =>
      KEPT.test(key) || value === '' || /^[\d.+-]+$/.test(value)
        ? whole
        : `"${key}"${colon}${JSON.stringify(HOSTILE).slice(0, -1)} ${value}"`,
  )

async function answerPoisoned(
  target: string,
  request: IncomingMessage,
  reply: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(
      ([name]) => !/^(host|connection|content-length|accept-encoding)$/.test(name),
    ),
  ) as Record<string, string>
  const answer = await fetch(`${target}${request.url}`, {
    method: request.method!,
    headers,
    ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
  })
  reply.writeHead(answer.status, { 'content-type': 'application/json' })
  reply.end(poisoned(await answer.text()))
}
