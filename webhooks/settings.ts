import { z } from 'zod'
import { listenAddress } from '../config/listen.ts'
import { isThisMachine } from '../this-machine.ts'

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

/** The API wants https; plain http stays on this machine, so that receivers can be tried. */
function isPublicUrl(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || `${url.username}${url.password}${url.search}${url.hash}` !== '') return false
  const isHere = isThisMachine(url.hostname)
  return url.protocol === 'https:' || (url.protocol === 'http:' && isHere)
}
