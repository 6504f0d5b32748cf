import { z } from 'zod'
import { listenAddress } from '../config/listen.ts'
import { isPublicUrl } from '../this-machine.ts'

/** Where the API tells of changes; absent: nobody listens, and schedules read as before. */
export const webhookSettings = z.strictObject({
  listen: listenAddress,
  /** What the API, which wants https, is told, without a slash at its end. TLS ends before us. */
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
