import { DAY_MS, MINUTE_MS, describeDuration } from '../../calendar/days.ts'
import type { Config } from '../../config.ts'
import type { ServerFacts } from '../../connectors/database-kind.ts'
import { readServerFacts } from '../../connectors/database.ts'
import { placeOf } from '../../connectors/server-address.ts'
import { TemporalError } from '../../errors.ts'
import { readNamespace } from '../../temporal/read-namespace.ts'
import type { NamespaceFacts } from '../../temporal/read-namespace.ts'
import { temporalSettings } from '../../temporal/settings.ts'

/** The servers that the work is shared by; null: there is none. */
export interface Servers {
  database: (ServerFacts & { place: string }) | null
  temporal: NamespaceFacts | null
  /** Why Temporal cannot be worked with. */
  trouble: TemporalError | null
}

/** Asks the servers that `tillage.yaml` names. A file of SQLite and an embedded server are none. */
export async function readServers(config: Config): Promise<Servers> {
  const facts = await readServerFacts(config.database)
  const database = facts === undefined ? null : { ...facts, place: placeOf(config.database) }
  const settings = temporalSettings(config)
  if (settings.kind === 'embedded') return { database, temporal: null, trouble: null }
  try {
    return { database, temporal: await readNamespace(settings), trouble: null }
  } catch (error) {
    if (!(error instanceof TemporalError)) throw error
    return { database, temporal: null, trouble: error }
  }
}

/** A line for each server, for people. */
export const describeServers = ({ database, temporal }: Servers): string[] => [
  ...(database === null ? [] : [describeDatabase(database)]),
  ...(temporal === null ? [] : [describeTemporal(temporal)]),
]

function describeDatabase({
  place,
  version,
  clockAheadMs,
  extensions,
}: ServerFacts & { place: string }): string {
  const loaded = extensions.length === 0 ? 'none is there' : `there: ${extensions.join(', ')}`
  return `${place}: ${version}, ${describeClock(clockAheadMs)}; no extension is needed (${loaded})`
}

const describeTemporal = ({
  address,
  namespace,
  serverVersion,
  retentionMs,
}: NamespaceFacts): string =>
  `Temporal at ${address}: version ${serverVersion}; ` +
  `namespace ${namespace} keeps runs that are over for ${describeDuration(retentionMs)}`

/** From here on it is told: the shares of a key's limits are given out for as long. */
const SKEW_TOLD_MS = 5_000

function describeClock(aheadMs: number): string {
  const apart = Math.abs(aheadMs)
  if (apart < SKEW_TOLD_MS) return 'whose clock is that of this machine'
  const long = apart < 2 * MINUTE_MS ? `${Math.round(apart / 1_000)} s` : describeDuration(apart)
  return `whose clock is ${long} ${aheadMs > 0 ? 'behind' : 'ahead of'} this machine's`
}

/** Worker deployment versions need it, and no older one was tried. */
const OLDEST_SERVER = '1.29.1'

/** A night that failed can be looked at on the next day. */
const SHORTEST_RETENTION_MS = DAY_MS

/** What somebody should do about the servers. Pure. */
export const adviseOnServers = ({ database, temporal }: Servers): string[] => [
  ...(database === null ? [] : adviseOnClock(database)),
  ...(temporal === null
    ? []
    : [...adviseOnVersion(temporal), ...adviseOnRetention(temporal), ...adviseOnSearch(temporal)]),
]

const adviseOnClock = ({ clockAheadMs }: ServerFacts): string[] =>
  Math.abs(clockAheadMs) < SKEW_TOLD_MS
    ? []
    : [
        `the database server's ${describeClock(clockAheadMs).slice('whose '.length)}: ` +
          'set both by a time server (NTP), since machines tell by it who has given up its work',
      ]

const adviseOnVersion = ({ serverVersion }: NamespaceFacts): string[] =>
  serverVersion.localeCompare(OLDEST_SERVER, 'en', { numeric: true }) >= 0
    ? []
    : [
        `the Temporal server is version ${serverVersion}, and ${OLDEST_SERVER} is the oldest ` +
          'that all of this program works with: have it updated',
      ]

const adviseOnRetention = ({ namespace, retentionMs }: NamespaceFacts): string[] =>
  retentionMs >= SHORTEST_RETENTION_MS
    ? []
    : [
        `the namespace ${namespace} keeps runs that are over for ${describeDuration(retentionMs)}, ` +
          'so a night that failed cannot be looked at on the next day: ' +
          'retention: { temporalDays: 3 } in tillage.yaml, or ' +
          `temporal operator namespace update --namespace ${namespace} --retention 3d`,
      ]

const adviseOnSearch = ({ namespace, missingAttributes: missing }: NamespaceFacts): string[] =>
  missing.length === 0
    ? []
    : [
        `the namespace ${namespace} lacks search attributes, so work is found by its id alone: ` +
          `temporal operator search-attribute create --namespace ${namespace} ` +
          missing.map(name => `--name ${name} --type Keyword`).join(' '),
      ]
