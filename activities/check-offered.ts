import { cancellationSignal } from '@temporalio/activity'
import { CompiledQuery } from 'kysely'
import { NOTE_FINDING } from '../connectors/sqlite/ledger-writer.ts'
import { PartnerError } from '../errors.ts'
import type { Dependencies } from './dependencies.ts'

/** The API, or this partner key, does not have this list. */
export const NOT_OFFERED = 'not_offered'

/**
 * Asks an optional list for one row. A refusal of the list itself (4xx, a permission) is recorded
 * and answered with the finding's id; anything else, trouble included, is for the reading to meet.
 */
export async function checkOffered(
  { destination, store: storeOf, stream: streamOf, now }: Dependencies,
  { store: id, stream: name }: { store: string; stream: string },
): Promise<string | undefined> {
  const { governor, client } = storeOf(id)
  const stream = streamOf(name)
  try {
    await governor.run(() => client.get(stream.path, { limit: '1' }, cancellationSignal()))
    return undefined
  } catch (error) {
    if (
      !(error instanceof PartnerError) ||
      (error.code !== 'PARTNER_REFUSED' && error.code !== 'PARTNER_PERMISSION')
    )
      return undefined
    const finding = {
      id: `${id}/${name}/${NOT_OFFERED}`,
      store: id,
      stream: name,
      code: NOT_OFFERED,
      detail: `GET ${stream.path} was refused with ${error.refused?.status ?? error.code}`,
      readAt: new Date(now()).toISOString(),
    }
    await destination.execute(CompiledQuery.raw(NOTE_FINDING, [finding]))
    return finding.id
  }
}
