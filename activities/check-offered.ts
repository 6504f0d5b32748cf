import { cancellationSignal } from '@temporalio/activity'
import { PartnerError } from '../errors.ts'
import type { Dependencies } from './dependencies.ts'

/** The API, or this partner key, does not have this list. */
export const NOT_OFFERED = 'not_offered'

/**
 * Asks an optional list for one row. A refusal of the list itself (4xx, a permission) is recorded and answered with the
 * finding's id; anything else, trouble included, is for the reading to meet.
 */
export async function checkOffered({ destination, store: storeOf, stream: streamOf, now }: Dependencies, { store: id, stream: name }: { store: string; stream: string }): Promise<string | undefined> {
  const { governor, client } = storeOf(id)
  const stream = streamOf(name)
  try {
    await governor.run(() => client.get(stream.path, { limit: '1' }, cancellationSignal()))
    return undefined
  } catch (error) {
    if (!(error instanceof PartnerError) || (error.code !== 'PARTNER_REFUSED' && error.code !== 'PARTNER_PERMISSION')) return undefined
    const seenAt = new Date(now()).toISOString()
    const finding = { id: `${id}/${name}/${NOT_OFFERED}`, store_id: id, stream: name, code: NOT_OFFERED, detail: `GET ${stream.path} was refused with ${error.refused?.status ?? error.code}`, times: 1, first_seen_at: seenAt, last_seen_at: seenAt }
    await destination.execute(
      destination.db
        .insertInto('findings')
        .values(finding)
        .onConflict((conflict) => conflict.column('id').doUpdateSet((row) => ({ times: row('findings.times', '+', 1), detail: finding.detail, last_seen_at: seenAt })))
        .compile(),
    )
    return finding.id
  }
}
