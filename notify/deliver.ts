import { toIso } from '../calendar/days.ts'
import type { Delivery, Notices } from '../connectors/destination/notices.ts'
import { TillageError } from '../errors.ts'
import { NotTaken } from './channels/not-taken.ts'
import { send } from './channels/send.ts'
import { beat } from './channels/web.ts'
import type { NoticeDocument } from './document.ts'
import { HEARTBEAT } from './settings.ts'
import type { NotifySettings } from './settings.ts'

/** Where deliveries are kept, and who is to get them. */
export interface DeliveryPlace {
  notices: Pick<Notices, 'delivery' | 'waitingBefore' | 'noteAttempt'>
  settings: Pick<NotifySettings, 'channels' | 'heartbeat'>
  now(): number
}

/**
 * Sends a delivery that nobody has taken yet, and remembers what came of it; first what is waiting
 * of the same notice, so that nobody hears of an end before its beginning. Killed in between, it is
 * sent again under the same id. Fails with DELIVERY_FAILED where something was not taken.
 */
export async function deliver(
  place: DeliveryPlace,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  const delivery = await place.notices.delivery(id)
  if (delivery === undefined || delivery.outcome !== 'waiting') return
  const inOrder = [...(await place.notices.waitingBefore(delivery)), delivery]
  for (const one of inOrder) await sendAndNote(place, one, signal)
}

async function sendAndNote(
  { notices, settings, now }: DeliveryPlace,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<void> {
  const { id, channel } = delivery
  const sending = sendingOf(settings, delivery)
  const note = (outcome: 'waiting' | 'taken' | 'given up', detail: string): Promise<void> =>
    notices.noteAttempt(id, { at: toIso(now()), outcome, detail })
  if (sending === undefined) return note('given up', 'tillage.yaml does not have it any more')
  try {
    await sending(signal)
  } catch (error) {
    if (!(error instanceof NotTaken)) throw error
    await note('waiting', error.message)
    throw new TillageError('DELIVERY_FAILED', `${channel}: ${error.message}`)
  }
  await note('taken', 'taken')
}

/** After a day nobody tries any more. */
export const giveUp = ({ notices, now }: DeliveryPlace, id: string): Promise<void> =>
  notices.noteAttempt(id, { at: toIso(now()), outcome: 'given up', detail: 'tried for a day' })

type Sending = (signal: AbortSignal) => Promise<void>

function sendingOf(
  { channels, heartbeat }: DeliveryPlace['settings'],
  { id, channel: name, document }: Delivery,
): Sending | undefined {
  if (name === HEARTBEAT)
    return heartbeat === undefined ? undefined : signal => beat(heartbeat, signal)
  const channel = channels.find(one => one.id === name)
  const key = id.slice(0, id.lastIndexOf('/'))
  const message = { key, document: JSON.parse(document) as NoticeDocument }
  return channel === undefined ? undefined : signal => send(channel, message, signal)
}
