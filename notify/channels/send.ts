import type { Channel } from '../settings.ts'
import { runCommand } from './command.ts'
import { sendMail } from './mail.ts'
import { LONGEST_SENDING_MS } from './message.ts'
import type { Message } from './message.ts'
import { post } from './web.ts'

/**
 * Sends a message to a channel, once; fails with a `NotTaken` that says why in words of ours:
 * whatever a receiver answers, nothing of it is repeated.
 */
export function send(channel: Channel, message: Message, signal: AbortSignal): Promise<void> {
  const both = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_SENDING_MS)])
  const { url, smtp, command } = channel
  if (url !== undefined) return post({ url, as: channel.as ?? 'json' }, message, both)
  if (smtp !== undefined)
    return sendMail({ smtp, from: channel.from!, to: channel.to! }, message, both)
  return runCommand(command!, message, both)
}
