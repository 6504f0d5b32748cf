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

const formats = new Map<string, Intl.DateTimeFormat>()

export function intlDayOf(ms: number, timeZone: string): string {
  let format = formats.get(timeZone)
  if (format === undefined)
    formats.set(
      timeZone,
      (format = new Intl.DateTimeFormat('en-CA', {
        timeZone,
        year: 'numeric',
        month: '2-digit',
        day: '2-digit',
      })),
    )
  return format.format(ms)
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
