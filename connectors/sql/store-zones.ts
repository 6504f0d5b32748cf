import { isSameZone } from '../../calendar/same-zone.ts'
import { TillageError } from '../../errors.ts'
import type { DatabasePlace, ReadOnlyDatabase } from '../destination/read-only.ts'
import type { Stores } from '../destination/stores.ts'

/** In which zone the days of a store are cut: as it was read, else as it is configured. */
export function zonesOf(
  known: Stores,
  place: Pick<DatabasePlace, 'stores'>,
): Pick<ReadOnlyDatabase, 'timeZone' | 'zoneOfRows'> {
  const configuredZone = (store: string): string | undefined =>
    place.stores.find(({ id }) => id === store)?.timeZone
  return {
    async timeZone(store) {
      const configured = configuredZone(store)
      const read = (await known.find(store))?.timeZone
      const timeZone = read ?? configured
      if (timeZone === undefined) throw neverRead(store)
      if (configured !== undefined && !isSameZone(timeZone, configured, Date.now()))
        throw zoneDiffers(store, timeZone, configured)
      return timeZone
    },
    zoneOfRows: async store =>
      (await known.find(store))?.timeZone ?? configuredZone(store) ?? 'UTC',
  }
}

const zoneDiffers = (store: string, known: string, configured: string): TillageError =>
  new TillageError(
    'STORE_ZONE',
    `tillage.yaml says that ${store} is in ${configured}, ` +
      `and its data was read with ${known}: its days would begin at another hour`,
    {
      remedy:
        `If ${known} is right, correct timeZone: in tillage.yaml. ` +
        `If ${configured} is: tillage store zone ${store} ${configured} --dry-run ` +
        'shows the consequences, and --by NAME --reason TEXT instead applies it.',
    },
  )

const neverRead = (store: string): TillageError =>
  new TillageError('NOT_PROVEN', `nothing was read of ${store} yet`, {
    remedy: `Read something first: tillage sync --store ${store} --from DAY --to DAY`,
  })
