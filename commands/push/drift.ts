import { toIso, toMinute } from '../../calendar/days.ts'
import { openDestination } from '../../connectors/database.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import { TillageError } from '../../errors.ts'
import { findCatalogDrift } from '../../push/drift.ts'
import type { Drifted } from '../../push/drift.ts'
import { shownValue } from '../../push/people.ts'
import type { Context } from '../command.ts'
import { countOf } from '../terminal/number.ts'
import { formatTable } from '../terminal/table.ts'
import { withPush } from './open-push.ts'
import { choosePushStores } from './plan.ts'
import { shortValue } from './print-plan.ts'

interface StoreDrift {
  store: string
  error: { code: string; message: string } | null
  /** How many records were pushed and looked at. */
  records: number
  drifted: Drifted[]
}

/**
 * `tillage push drift`: what somebody else changed since our
 * last push. 3 if there is some, or a store did not answer.
 */
export async function pushDrift(
  { config, terminal, signal }: Context,
  { store }: { store?: string },
): Promise<number> {
  const stores = choosePushStores(config, [store ?? ''])
  const found = await withPush(config, async push => {
    const all: StoreDrift[] = []
    for (const id of stores) {
      terminal.progress(`${id}: reading what was pushed`)
      try {
        all.push({ store: id, error: null, ...(await findCatalogDrift(push, id, signal)) })
      } catch (error) {
        if (!(error instanceof TillageError)) throw error
        const { code, message } = error
        all.push({ store: id, error: { code, message }, records: 0, drifted: [] })
      }
    }
    return all
  })
  terminal.print(
    terminal.json ? JSON.stringify({ stores: found }) : found.map(describe).join('\n\n'),
  )
  await remember(config, found)
  return found.some(({ error, drifted }) => error !== null || drifted.length > 0) ? 3 : 0
}

/** For `status`: what was found last counts, whoever looked. */
async function remember(config: Context['config'], found: readonly StoreDrift[]): Promise<void> {
  await using destination = await openDestination(config, streams)
  for (const { store, error, records, drifted } of found)
    if (error === null)
      await destination.attempts.keepDrift({
        store,
        at: toIso(Date.now()),
        records,
        drifted: drifted.length,
      })
}

function describe({ store, error, records, drifted }: StoreDrift): string {
  if (error !== null) return `${store}: ${error.code}: ${error.message}`
  if (drifted.length === 0)
    return `${store}: nothing that was pushed has changed (${countOf(records, 'record')})`
  const rows = drifted.flatMap(({ externalId, modifiedAt, changes }) =>
    changes.map(({ field, pushed, now }, index) => [
      index === 0 ? externalId : '',
      field,
      shortValue(shownValue(field, pushed) ?? ''),
      shortValue(shownValue(field, now) ?? ''),
      index === 0 ? toMinute(modifiedAt ?? '') : '',
    ]),
  )
  return [
    `${store}: ${drifted.length} of ${records} records that were pushed are different now`,
    formatTable(['external id', 'field', 'pushed', 'now', 'modified (UTC)'], rows),
  ].join('\n')
}
