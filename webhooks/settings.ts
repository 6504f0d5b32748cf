import { z } from 'zod'

/** `HOST:PORT` of this machine; port 0 takes any that is free. */
export interface ListenAddress {
  host: string
  port: number
}

/** Of whatever this program serves: `127.0.0.1:8750`, `[::1]:8750`, `0.0.0.0:8750`. */
export const listenAddress = z
  .string()
  .refine(text => parseListen(text) !== undefined, {
    error: 'must be an address and a port of this machine, like 127.0.0.1:8750',
  })
  .transform(text => parseListen(text)!)

/** Where the API tells of changes; absent: nobody listens, and schedules read as before. */
export const webhookSettings = z.strictObject({
  listen: listenAddress,
  /** What the API is told, without a slash at its end. TLS ends before us. */
  publicUrl: z
    .string()
    .refine(isPublicUrl, {
      error:
        'must be https://, or http:// to this machine itself, ' +
        'without user, password, query or fragment',
    })
    .transform(text => text.replace(/\/+$/, '')),
})

export type WebhookSettings = z.infer<typeof webhookSettings>

function parseListen(text: string): ListenAddress | undefined {
  const match = /^(\[[\da-f:.]+\]|[\w.-]+):(\d{1,5})$/i.exec(text)
  const port = Number(match?.[2])
  if (match === null || port > 65_535) return undefined
  return { host: match[1]!.replace(/^\[|\]$/g, ''), port }
}

/** The API wants https; plain http stays on this machine, so that receivers can be tried. */
function isPublicUrl(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || `${url.username}${url.password}${url.search}${url.hash}` !== '') return false
  const isHere = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname)
  return url.protocol === 'https:' || (url.protocol === 'http:' && isHere)
}
