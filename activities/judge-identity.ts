/** What must hold of the keys and the zone of a store, before anything is read of it. */
import { isSameZone } from '../calendar/same-zone.ts'
import { unknownZone } from '../connectors/store/open-store.ts'
import { TillageError } from '../errors.ts'
import type { PartnerError } from '../errors.ts'
import type { StoreSettings } from './dependencies.ts'

type Entry = Pick<StoreSettings, 'id' | 'baseUrl' | 'developerKey'>

/** One developer key is one shop, so it stands in one entry of the configuration. */
export function refuseSameKeys(store: Entry, all: readonly Entry[]): void {
  const twin = all.find(
    other =>
      other.id !== store.id &&
      other.baseUrl === store.baseUrl &&
      other.developerKey === store.developerKey,
  )
  if (twin === undefined) return
  throw new TillageError(
    'STORE_TWICE',
    `${store.id} and ${twin.id} of tillage.yaml have the same developer key, so they are one shop`,
    { remedy: 'Keep the entry whose id is in the database, and take the other one out.' },
  )
}

/** Where a zone may come from: tillage.yaml, the API, and what the database was read with. */
export interface ZoneSources {
  id: string
  configured: string | undefined
  isRight: boolean
  answered: string | undefined
  known: string | undefined
  /** Why the API answered none. */
  refused?: PartnerError | undefined
  nowMs: number
}

/** The zone of a store. Fails where tillage.yaml and the API differ, or where nobody says one. */
export function chooseZone({
  id,
  configured,
  isRight,
  answered,
  known,
  refused,
  nowMs,
}: ZoneSources): string {
  const differs =
    configured !== undefined &&
    answered !== undefined &&
    !isRight &&
    !isSameZone(configured, answered, nowMs)
  if (differs)
    throw new TillageError(
      'STORE_ZONE',
      `tillage.yaml says that ${id} is in ${configured}, and the API says ${answered}`,
      {
        remedy:
          'Days would begin at the wrong hour. Leave out timeZone: of this store, or write ' +
          'timeZoneIsRight: true beside it if the API is wrong.',
      },
    )
  const zone = configured ?? answered ?? known
  if (zone !== undefined) return zone
  throw unknownZone(id, refused)
}

/** The days of what was read so far were cut in another zone: somebody has to decide. */
export const zoneChanged = (id: string, known: string, now: string): TillageError =>
  new TillageError(
    'STORE_ZONE',
    `the data of ${id} was read with the zone ${known}, and its zone is now ${now}; nothing was read`,
    {
      remedy:
        `If ${now} is right: tillage store zone ${id} ${now} --dry-run shows the consequences ` +
        '(days to read again, business days that begin at another hour), ' +
        'and --by NAME --reason TEXT instead applies it. ' +
        `If ${known} is right: timeZone: ${known} and timeZoneIsRight: true in tillage.yaml.`,
    },
  )
