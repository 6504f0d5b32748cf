import { createTransport } from 'nodemailer'
import { isThisMachine } from '../../this-machine.ts'
import { LONGEST_SENDING_MS } from './message.ts'
import type { Message } from './message.ts'
import { explainFailure, NotTaken } from './not-taken.ts'
import { asText, markOf } from './render.ts'

const LIMITS = {
  connectionTimeout: LONGEST_SENDING_MS,
  greetingTimeout: LONGEST_SENDING_MS,
  socketTimeout: LONGEST_SENDING_MS,
  disableFileAccess: true,
  disableUrlAccess: true,
}

/** A mail that some of its readers do not get was not taken. */
export async function sendMail(
  { smtp, from, to }: { smtp: string; from: string; to: readonly string[] },
  { key, document }: Message,
  signal: AbortSignal,
): Promise<void> {
  const transport = createTransport({ ...serverOf(smtp), ...LIMITS })
  const stop = (): void => transport.close()
  signal.addEventListener('abort', stop, { once: true })
  const outOfTime = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
  try {
    const sending = transport.sendMail({
      from,
      to: [...to],
      subject: `${markOf(document)} ${document.title}`,
      text: asText(document),
      messageId: `<${key.replaceAll('/', '.')}@tillage>`,
      headers: { 'Idempotency-Key': key, 'Auto-Submitted': 'auto-generated' },
    })
    const { rejected } = await Promise.race([sending, outOfTime])
    if (rejected.length > 0) throw new NotTaken('its server refused a receiver')
  } catch (error) {
    const { responseCode } = error as { responseCode?: unknown }
    throw typeof responseCode === 'number'
      ? new NotTaken(`its server answered ${responseCode}`)
      : explainFailure(error)
  } finally {
    signal.removeEventListener('abort', stop)
    transport.close()
  }
}

const DEFAULT_PORT = { tls: 465, open: 587 }

/** From the address alone: an option in its query would be one that nobody here has looked at. */
function serverOf(smtp: string) {
  const { protocol, hostname, port, username, password } = new URL(smtp)
  const secure = protocol === 'smtps:'
  const auth = { user: decodeURIComponent(username), pass: decodeURIComponent(password) }
  return {
    host: hostname.replaceAll(/[[\]]/g, ''),
    port: Number(port === '' ? DEFAULT_PORT[secure ? 'tls' : 'open'] : port),
    secure,
    // A password, and what is told, travel openly to this machine alone.
    requireTLS: !secure && !isThisMachine(hostname),
    ...(username === '' ? {} : { auth }),
  }
}
