import type { StoreInfo } from '../../connectors/partner/store-info.ts'
import type { Answers } from './answers.ts'

/** Stores as they stand below `stores:`, with what the API said of each. */
export const storeEntries = (
  answers: readonly Answers[],
  known: ReadonlyMap<string, StoreInfo>,
): string => answers.map(one => storeEntry(one, known.get(one.store))).join('')

function storeEntry(
  { store, url, partnerKeyName, developerKeyName }: Answers,
  info?: StoreInfo,
): string {
  const zone =
    info?.timeZone === undefined
      ? '    # timeZone: America/Los_Angeles   # default: what the API says\n'
      : `    timeZone: ${info.timeZone}   # as the API says\n`
  return `  - id: ${store}${info?.name === undefined ? '' : `   # ${info.name.replaceAll(/\s+/g, ' ')}`}
    baseUrl: ${url}
    partnerKey: \${${partnerKeyName}}
    developerKey: \${${developerKeyName}}
${zone}`
}

/** The comments are the documentation that is at hand when the file is edited. */
export function configText(
  answers: readonly Answers[],
  known: ReadonlyMap<string, StoreInfo>,
): string {
  return `# Tillage's configuration. \${NAME} comes from the environment: no key is written in this file.
# Relative paths are relative to this file. Everything that is commented out shows its default.

stores:
${storeEntries(answers, known)}    # dayStartsAt: "00:00"             # when the business day begins, for example "02:00"
    # currency: USD                    # of its amounts: the API states them without one
    # limits: { concurrency: 8 }       # at most so many requests at once
  # Another store: tillage init --add --store NAME

# database: ./tillage-data/tillage.db
# exports: ./tillage-data/exports
# temporal: embedded                   # or { address, namespace, apiKey, tls }

# What runs by itself while \`tillage up\` is running, in each store's own zone.
schedules:
  nightly: { every: never }            # daily: reads, proves and writes the day's files
  # nightly: { at: "03:30", deadline: "05:00", export: [transactions], formats: [csv], journal: [generic] }
  sweep: { every: never }              # weekly: reads again what the lookback does not reach
  check: { every: never }              # daily: compares a random sample with the API

# Accounts of the daily journal; \`tillage accounts\` lists them.
# accounting:
#   formats: [generic]
`
}
