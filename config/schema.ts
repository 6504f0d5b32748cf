import { z } from 'zod'
import { reconcileSettings } from '../audit/settings.ts'
import { backupSettings } from '../backup/settings.ts'
import { isTimeZone } from '../calendar/is-time-zone.ts'
import { faultOfAddress } from '../connectors/server-address.ts'
import { consoleSettings } from '../console/settings.ts'
import { accountingSettings } from '../exports/journal/check-settings.ts'
import { logSettings } from '../log/settings.ts'
import { metricsSettings } from '../metrics/settings.ts'
import { editDistance, faultOfStoreId, nearestName } from '../names.ts'
import { notifySettings } from '../notify/settings.ts'
import { faultOfExports, objectSettings } from '../objects/settings.ts'
import { pushSettings } from '../push/settings.ts'
import { WINDOW_LIMITS } from '../reading/window-limits.ts'
import { clock, scheduleSettings } from '../schedules/rules/settings.ts'
import { secret } from '../secret-setting.ts'
import { isOpenLine } from '../this-machine.ts'
import { webhookSettings } from '../webhooks/settings.ts'

/** Also the place of what belongs to a database on a server and is kept on this machine. */
export const USUAL_DATABASE = './tillage-data/tillage.db'

const timeZone = z.string().refine(isTimeZone, {
  error: ({ input }) => `is not a time zone; write it like ${likelyZone(String(input))}`,
})
const positive = z.number().positive()
const currency = z.string().regex(/^[A-Z]{3}$/, 'must be three capital letters, like USD')

const storeId = z.string().refine(id => faultOfStoreId(id) === undefined, {
  error: ({ input }) => faultOfStoreId(String(input)),
})

const storeFields = z.strictObject({
  id: storeId,
  baseUrl: z.string().refine(isBaseUrl, {
    error: 'must be an address like https://partner.example, without user, password or query',
  }),
  /** Keys and records may travel without TLS to another machine. */
  allowInsecure: z.boolean().default(false),
  partnerKey: secret(z.string().min(1, 'is empty')),
  developerKey: secret(z.string().min(1, 'is empty')),
  /** Whom the developer key must stand for; learned from the API where it is not said. */
  companyId: z.string().min(1, 'is empty').optional(),
  shopId: z.string().min(1, 'is empty').optional(),
  timeZone: timeZone.optional(),
  /** It counts, although the API says another. */
  timeZoneIsRight: z.boolean().default(false),
  dayStartsAt: clock.default('00:00'),
  /** Of its amounts, which the API states without one; default: the chain's. */
  currency: currency.optional(),
  limits: z
    .strictObject({
      concurrency: positive.int().max(64).default(8),
      requestsPerSecond: positive.default(Number.POSITIVE_INFINITY),
      /** On the wire as well as inflated; more is refused (`PARTNER_TOO_LARGE`). */
      megabytesPerAnswer: positive.max(2000).default(64),
      /** A second more for each 50 kB that have come (`PARTNER_TOO_SLOW`). */
      secondsPerAnswer: positive.max(3600).default(60),
      /** Of one pass through the list of a window (`WINDOW_TOO_LARGE`). */
      pagesPerWindow: positive.default(WINDOW_LIMITS.pagesPerWindow),
      rowsPerWindow: positive.default(WINDOW_LIMITS.rowsPerWindow),
      megabytesPerWindow: positive.default(WINDOW_LIMITS.megabytesPerWindow),
      minutesPerWindow: positive.default(WINDOW_LIMITS.minutesPerWindow),
    })
    .prefault({}),
})

const store = storeFields.refine(
  ({ baseUrl, allowInsecure }) => allowInsecure || !isOpenLine(baseUrl),
  {
    path: ['baseUrl'],
    error:
      'is http:// to another machine, so keys and records could be read on the way; ' +
      'write https://, or allowInsecure: true beside it',
  },
)

const filePath = z.string().min(1).optional()
const tlsFiles = z
  .strictObject({ cert: filePath, key: filePath, ca: filePath, serverName: filePath })
  .refine(({ cert, key }) => (cert === undefined) === (key === undefined))

/** Judged at once, so that a message names it where `temporal` as a whole is right. */
const tls = z.custom<boolean | z.infer<typeof tlsFiles>>(
  value => z.union([z.boolean(), tlsFiles]).safeParse(value).success,
  {
    abort: false,
    error:
      'must be true, false, or { cert, key, ca, serverName }: files of PEM, relative to this one, ' +
      'cert and key both or none',
  },
)

/** As Temporal takes it in a name of its own. */
const deploymentWord = z
  .string()
  .regex(/^[\w.+-]{1,64}$/, 'must be 1 to 64 letters, digits and _ . + -')

const temporal = z.union(
  [
    z.literal('embedded'),
    z
      .strictObject({
        address: z.string().min(1),
        namespace: z.string().default('default'),
        apiKey: secret(z.string()).optional(),
        tls: tls.optional(),
        /** Workers say which version they are; which one gets new work is decided by somebody. */
        deployment: z
          .strictObject({ name: deploymentWord, buildId: deploymentWord.optional() })
          .optional(),
        /** Of every message of this database; else a file beside the database holds one. */
        messageKey: secret(z.string().min(32, 'is shorter than 32 characters')).optional(),
        /** Nobody but workers can read the messages then, histories in the web UI included. */
        encrypt: z.boolean().default(false),
      })
      .refine(
        ({ address, apiKey, tls }) =>
          apiKey === undefined || tls !== false || !isOpenLine(`http://${address}`),
        {
          path: ['tls'],
          error:
            'must not be false where there is an apiKey: it would travel openly to another machine',
        },
      ),
  ],
  {
    error: ({ input }) =>
      'must be embedded, or { address, namespace, apiKey, tls }' +
      (nearestName(String(input), ['embedded']) === undefined ? '' : ' (did you mean embedded?)'),
  },
)

/** Days; what is not named is kept for ever. `tillage purge` removes the rest. */
const days = positive.int().optional()
const retentionSettings = z
  .strictObject({
    /** States of records that were replaced. */
    versionsDays: days,
    discardedLettersDays: days,
    readingsDays: days,
    /** Histories of runs that are over. */
    temporalDays: days,
  })
  .refine(
    ({ versionsDays, readingsDays }) =>
      readingsDays === undefined || (versionsDays !== undefined && versionsDays <= readingsDays),
    {
      path: ['readingsDays'],
      error: 'must not be shorter than versionsDays: readings say how old versions are',
    },
  )

/** `mode`: of files without people, in the digits of `chmod`; others are their owner's alone. */
const exportsFolder = z.strictObject({
  folder: z.string().min(1).default('./tillage-data/exports'),
  mode: z
    .union([z.string(), z.number()])
    .transform(String)
    .refine(mode => /^0?6[046]{2}$/.test(mode)),
  /** With it, it is a bucket. */
  url: z.never().optional(),
})

/** A folder, or a bucket. */
const exportsPlace = z
  .string()
  .min(1)
  .refine(exports => faultOfExports(exports) === undefined, {
    error: ({ input }) => faultOfExports(String(input)),
  })

/** The whole of `tillage.yaml`, with its defaults. */
export const configSchema = z.strictObject({
  stores: z.array(store).min(1, 'needs at least one store'),
  database: z
    .string()
    .min(1)
    .refine(database => faultOfAddress(database) === undefined, {
      error: ({ input }) => faultOfAddress(String(input)),
    })
    .default(USUAL_DATABASE),
  exports: z
    .union([exportsPlace, exportsFolder, objectSettings], {
      error:
        'must be a folder, or { folder, mode }, with a mode like "0640", ' +
        'or a bucket like s3://books/tillage, or { url, endpoint, region, pathStyle }',
    })
    .default('./tillage-data/exports'),
  /** Of the amounts of every store that names none of its own. */
  currency: currency.default('USD'),
  temporal: temporal.default('embedded'),
  schedules: scheduleSettings.prefault({}),
  /** Of CSV files for people and their programs; importers' files never have a byte order mark. */
  csv: z.strictObject({ bom: z.boolean().default(true) }).prefault({}),
  accounting: accountingSettings.prefault({}),
  reconcile: reconcileSettings.prefault({}),
  push: pushSettings.prefault({}),
  retention: retentionSettings.prefault({}),
  backup: backupSettings.optional(),
  webhooks: webhookSettings.optional(),
  metrics: metricsSettings.optional(),
  console: consoleSettings.prefault({}),
  log: logSettings.prefault({}),
  notify: notifySettings.prefault({}),
})

export type Settings = z.infer<typeof configSchema>

/** A slip of the pen in a zone's name; else an example. */
function likelyZone(typed: string): string {
  const near = nearestName(typed, Intl.supportedValuesOf('timeZone'))
  return near !== undefined && editDistance(typed, near) <= 2 ? near : 'America/Los_Angeles'
}

function isBaseUrl(text: string): boolean {
  const url = URL.parse(text)
  return (
    url !== null &&
    ['http:', 'https:'].includes(url.protocol) &&
    url.username === '' &&
    url.password === '' &&
    url.search === '' &&
    url.hash === ''
  )
}
