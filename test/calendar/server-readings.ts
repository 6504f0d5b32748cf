/**
 * How a server may read `startDate` and `endDate`, told by the platform's own calendar and none of
 * our day maths.
 */

export const zones = [
  'UTC',
  'America/Los_Angeles',
  'America/New_York',
  'America/Denver',
  'America/Phoenix',
  'America/Chicago',
  'America/Anchorage',
  'America/Adak',
  'Pacific/Honolulu',
  'America/St_Johns',
  'America/Havana',
  'America/Santiago',
  'America/Punta_Arenas',
  'America/Asuncion',
  'America/Sao_Paulo',
  'America/Caracas',
  'America/Nuuk',
  'America/Scoresbysund',
  'Atlantic/Azores',
  'Europe/London',
  'Europe/Dublin',
  'Europe/Berlin',
  'Europe/Istanbul',
  'Africa/Cairo',
  'Africa/Casablanca',
  'Africa/Juba',
  'Asia/Beirut',
  'Asia/Gaza',
  'Asia/Amman',
  'Asia/Tehran',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Asia/Pyongyang',
  'Asia/Tokyo',
  'Australia/Eucla',
  'Australia/Adelaide',
  'Australia/Lord_Howe',
  'Pacific/Norfolk',
  'Pacific/Auckland',
  'Pacific/Chatham',
  'Pacific/Apia',
  'Pacific/Tongatapu',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
  'Antarctica/Troll',
] as const

/** Every offset from UTC is one of whole quarters since 1972, so all of a quarter is of one day. */
const QUARTER_MS = 900_000

interface Zone {
  format: Intl.DateTimeFormat
  /** What was asked before, by quarter: to format costs a hundred times as much. */
  days: Map<number, string>
}

const knownZones = new Map<string, Zone>()

export function intlDayOf(ms: number, timeZone: string): string {
  const { format, days } = knownZones.get(timeZone) ?? addZone(timeZone)
  const quarter = Math.floor(ms / QUARTER_MS)
  const known = days.get(quarter)
  if (known !== undefined) return known
  const day = format.format(ms)
  days.set(quarter, day)
  return day
}

function addZone(timeZone: string): Zone {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
  const zone = { format, days: new Map<number, string>() }
  knownZones.set(timeZone, zone)
  return zone
}

/** `MM/dd/yyyy` -> `yyyy-MM-dd`. */
export const asDay = (american: string): string =>
  `${american.slice(6)}-${american.slice(0, 2)}-${american.slice(3, 5)}`

export interface ServerReading {
  name: string
  /** Would this server answer a row of this instant for these days? */
  holds: (ms: number, from: string, to: string, storeZone: string) => boolean
}

const reading = (
  name: string,
  zoneOf: (storeZone: string) => string,
  endIncluded: boolean,
): ServerReading => ({
  name,
  holds(ms, from, to, storeZone) {
    const day = intlDayOf(ms, zoneOf(storeZone))
    return day >= from && (endIncluded ? day <= to : day < to)
  },
})

export const SERVER_READINGS: readonly ServerReading[] = [
  reading('store days, end included', storeZone => storeZone, true),
  reading('store days, end left out', storeZone => storeZone, false),
  reading('UTC days, end included', () => 'UTC', true),
  reading('UTC days, end left out', () => 'UTC', false),
]
