import { readImports } from './imports.ts'

/** A part of the house, and what it may import. Whatever is not named is forbidden. */
export interface Row {
  part: string
  files: RegExp
  /** Modules that are there when the code runs. */
  may: readonly RegExp[]
  /** Besides those, by `import type` alone. */
  types?: readonly RegExp[]
}

const ANYTHING = /^/
const ANY_PACKAGE_BUT_TEMPORAL = /^(?!\.\/|@temporalio\/)/
const PURE_PACKAGES = /^(zod|@date-fns\/tz|node:crypto)$/
const ERRORS = /^\.\/errors\.ts$/
/** What the system says of a file, in words. */
const DISK = /^\.\/disk\.ts$/
/** Amounts and decimals: pure. */
const MONEY = /^\.\/money\//
/** CSV and JSON as text, and what a record says. */
const TEXT = /^\.\/text\//
/** Locks between processes. */
const FILE_LOCK = /^\.\/file-lock\.ts$/
/** Where this program listens. */
const LISTEN = /^\.\/(config\/)?listen\.ts$/
const SECRET_FILE = /^\.\/secret-file\.ts$/
const SECRETS = /^\.\/secrets\.ts$/
/** Declares which settings are secret. */
const SECRET_SETTING = /^\.\/secret-setting\.ts$/
/** Memory of large buffers: of the language alone. */
const BYTES = /^\.\/connectors\/free-bytes\.ts$/
const SHAPE = /^\.\/connectors\/shape\.ts$/
const FINDINGS = /^\.\/connectors\/findings\.ts$/
const STREAM =
  /^\.\/connectors\/(quote|stream|stream-sql|record|cells|secret-fields|personal-fields)\.ts$/
/** Days without zones: facts that no two clocks can differ about. */
const DAYS = /^\.\/calendar\/days\.ts$/
/** Which names are time zones. */
const ZONES = /^\.\/calendar\/is-time-zone\.ts$/
const CALENDAR = /^\.\/calendar\//
const QUOTE = /^\.\/connectors\/quote\.ts$/
/** The records of an answer: walked, judged, their values. */
const ANSWER = /^\.\/connectors\/answer\//
const STREAMS = /^\.\/connectors\/partner\/streams\//
const NAMES = /^\.\/names\.ts$/
const CONTRACT = /^\.\/connectors\/partner\/contract\//
const PARTNER = /^\.\/connectors\/partner\//
const DESTINATION = /^\.\/connectors\/destination\//
const READING = /^\.\/reading\//
/** SQL that is the same in every database. */
const SQL = /^\.\/connectors\/sql\//
const POSTGRES = /^\.\/connectors\/postgres\//
const SQLITE = /^\.\/connectors\/sqlite\//
const DOCUMENTS = /^\.\/documents\//
/** What names the destination in use. */
const DATABASE = /^\.\/connectors\/database(-for-exports)?\.ts$/
/** A store with its keys, whose shop is asked for before anything else. */
const STORE = /^\.\/connectors\/store\//
const CONNECTORS = /^\.\/connectors\/(?!sql\/|sqlite\/|postgres\/)/

/**
 * The table of who may import whom. The first row that fits a file is its row; every file has one.
 */
export const ROWS: readonly Row[] = [
  { part: 'errors', files: /^errors\.ts$/, may: [/^zod$/, SECRETS] },
  { part: 'money', files: /^money\//, may: [MONEY] },
  { part: 'text', files: /^text\//, may: [MONEY, TEXT] },
  { part: 'what the disk says', files: /^disk\.ts$/, may: [ERRORS, /^node:(crypto|fs|os|path)$/] },
  {
    part: 'locks between processes',
    files: /^file-lock\.ts$/,
    may: [ERRORS, DISK, /^(better-sqlite3|node:fs|node:timers\/promises)$/],
  },
  { part: 'a secret in a file', files: /^secret-file\.ts$/, may: [ERRORS, DISK, /^node:fs$/] },
  { part: 'secrets', files: /^secrets\.ts$/, may: [] },
  { part: 'settings that are secret', files: /^secret-setting\.ts$/, may: [/^zod$/] },
  { part: 'names that somebody typed', files: /^names\.ts$/, may: [ERRORS] },
  {
    part: 'ports',
    files: /^listen\.ts$/,
    may: [ERRORS, DISK],
    types: [LISTEN, /^node:(http|net)$/],
  },
  { part: 'the version', files: /^version\.ts$/, may: [/^node:fs$/] },
  {
    part: 'configuration',
    files: /^config(\/.*)?\.ts$/,
    may: [
      ERRORS,
      SECRETS,
      SECRET_SETTING,
      NAMES,
      ZONES,
      /^\.\/config\//,
      /^(zod|yaml|node:fs|node:path)$/,
      /^\.\/reading\/window-limits\.ts$/,
      /^\.\/(exports\/journal|schedules\/rules|audit|backup|console|push|webhooks|metrics|log|notify)\/(check-)?settings\.ts$/,
    ],
  },
  {
    part: 'the rules of schedules',
    files: /^schedules\/rules\//,
    may: [
      CALENDAR,
      NAMES,
      STREAMS,
      /^\.\/schedules\/rules\//,
      /^\.\/exports\/(datasets|revisions\/manifest|journal\/settings)\.ts$/,
      PURE_PACKAGES,
    ],
  },
  {
    part: 'schedules',
    files: /^schedules\//,
    may: [
      /^\.\/(activities|calendar|exports|schedules)\//,
      CONNECTORS,
      /^\.\/workflows\/ids\.ts$/,
      /^\.\/books\/order-journal\.ts$/,
      ERRORS,
      /^@temporalio\/client$/,
      ANY_PACKAGE_BUT_TEMPORAL,
    ],
    types: [/^\.\/(workflows|temporal)\//, /^\.\/config\.ts$/],
  },
  {
    part: 'the books',
    files: /^books\//,
    may: [
      MONEY,
      TEXT,
      /^\.\/(books|calendar|exports)\//,
      CONNECTORS,
      ERRORS,
      NAMES,
      /^\.\/version\.ts$/,
      ANY_PACKAGE_BUT_TEMPORAL,
    ],
    types: [/^\.\/activities\/dependencies\.ts$/, /^\.\/config\.ts$/],
  },
  {
    part: 'backups',
    files: /^backup\//,
    may: [
      /^\.\/backup\//,
      DAYS,
      DATABASE,
      ERRORS,
      SECRETS,
      /^\.\/(record-act|config\/secrets|exports\/sales\/member-secret|schedules\/rules\/settings)\.ts$/,
      /^(zod|yaml|node:(crypto|fs|path|stream\/promises))$/,
    ],
    types: [/^\.\/config\.ts$/],
  },
  { part: 'acts in the audit log', files: /^record-act\.ts$/, may: [ERRORS, DATABASE] },
  {
    part: 'the calendar',
    files: /^calendar\//,
    may: [CALENDAR, PURE_PACKAGES],
    types: [STREAM],
  },
  {
    part: 'stream, shape, findings and buffers',
    files:
      /^connectors\/(quote|stream|stream-sql|record|cells|secret-fields|personal-fields|shape|findings|free-bytes)\.ts$/,
    may: [PURE_PACKAGES, STREAM],
    types: [STREAM, FINDINGS],
  },
  {
    part: 'stream declarations',
    files: /^connectors\/partner\/streams\//,
    may: [STREAM, STREAMS, CONTRACT],
  },
  {
    part: 'the contract',
    files: /^connectors\/partner\/contract\//,
    may: [STREAM, CONTRACT, /^zod$/],
  },
  {
    part: 'records of answers',
    files: /^connectors\/answer\//,
    may: [ANSWER, STREAM, SHAPE],
  },
  {
    part: 'the partner connector',
    files: /^connectors\/partner\//,
    may: [ANSWER, STREAM, SHAPE, BYTES, CALENDAR, ERRORS, PARTNER, ANY_PACKAGE_BUT_TEMPORAL],
  },
  {
    part: 'a store, and whose shop it is',
    files: /^connectors\/store\//,
    may: [
      STREAM,
      CALENDAR,
      ERRORS,
      PARTNER,
      DESTINATION,
      STORE,
      /^node:(crypto|timers\/promises)$/,
    ],
  },
  {
    part: 'what a destination implements',
    files: /^connectors\/destination\//,
    may: [STREAM, SHAPE, CALENDAR, DESTINATION],
    types: [FINDINGS, ERRORS],
  },
  { part: 'documents that people sign', files: /^documents\//, may: [DOCUMENTS] },
  {
    part: 'writes to the API',
    files: /^outbound\//,
    may: [ERRORS, DISK, DAYS, DESTINATION, /^\.\/outbound\//, /^(zod|node:(crypto|fs|path))$/],
  },
  {
    part: 'audits',
    files: /^audit\//,
    may: [
      MONEY,
      TEXT,
      /^\.\/(audit|outbound|reading|calendar|exports|tables)\//,
      DOCUMENTS,
      CONNECTORS,
      ERRORS,
      /^\.\/(version|names)\.ts$/,
      ANY_PACKAGE_BUT_TEMPORAL,
    ],
  },
  {
    part: 'reconciliation',
    files: /^reconcile\//,
    may: [
      MONEY,
      TEXT,
      /^\.\/(audit|reconcile|outbound|reading|calendar|exports|tables)\//,
      DOCUMENTS,
      CONNECTORS,
      ERRORS,
      /^\.\/(version|names)\.ts$/,
      ANY_PACKAGE_BUT_TEMPORAL,
    ],
  },
  {
    part: 'SQL that is the same everywhere',
    files: /^connectors\/sql\//,
    may: [STREAM, CALENDAR, ERRORS, DESTINATION, SQL, /^(kysely|node:(crypto|os|path|util))$/],
  },
  {
    part: 'the PostgreSQL connector',
    files: /^connectors\/postgres\//,
    may: [STREAM, SHAPE, CALENDAR, ERRORS, DESTINATION, SQL, POSTGRES, ANY_PACKAGE_BUT_TEMPORAL],
  },
  {
    part: 'the SQLite connector',
    files: /^connectors\/sqlite\//,
    may: [
      ANSWER,
      STREAM,
      SHAPE,
      BYTES,
      QUOTE,
      CALENDAR,
      ERRORS,
      DISK,
      DESTINATION,
      SQL,
      SQLITE,
      ANY_PACKAGE_BUT_TEMPORAL,
    ],
  },
  {
    part: 'the destination in use',
    files: /^connectors\/database(-for-exports)?\.ts$/,
    may: [SQL, SQLITE, DATABASE],
    types: [DESTINATION, STREAM],
  },
  {
    part: 'exports',
    files: /^exports\//,
    may: [
      MONEY,
      TEXT,
      STREAM,
      QUOTE,
      CALENDAR,
      ERRORS,
      DISK,
      FILE_LOCK,
      SECRET_FILE,
      DESTINATION,
      DATABASE,
      /^\.\/exports\//,
      ANY_PACKAGE_BUT_TEMPORAL,
    ],
  },
  {
    part: 'tables that people hand in',
    files: /^tables\//,
    may: [ERRORS, /^\.\/tables\//, /^(hucre\/xlsx|node:(fs|zlib))$/],
  },
  {
    part: 'the reading core',
    files: /^reading\//,
    may: [
      ANSWER,
      STREAM,
      SHAPE,
      BYTES,
      CALENDAR,
      ERRORS,
      PARTNER,
      DESTINATION,
      READING,
      /^p-limit$/,
    ],
    types: [FINDINGS],
  },
  {
    part: 'catalog pushes',
    files: /^push\//,
    may: [
      STREAM,
      CALENDAR,
      ERRORS,
      PARTNER,
      DESTINATION,
      READING,
      /^\.\/(push|outbound|tables)\//,
      DOCUMENTS,
      MONEY,
      TEXT,
      ANY_PACKAGE_BUT_TEMPORAL,
    ],
  },
  {
    part: 'figures for others',
    files: /^metrics\//,
    may: [
      DAYS,
      DESTINATION,
      ERRORS,
      DISK,
      LISTEN,
      /^\.\/metrics\//,
      /^\.\/schedules\/read-due\.ts$/,
      /^\.\/version\.ts$/,
      /^(zod|prom-client|node:(diagnostics_channel|http))$/,
    ],
    types: [PARTNER, STREAM, /^node:net$/, /^\.\/temporal\/session\.ts$/],
  },
  { part: 'what happened, line by line', files: /^log\//, may: [/^\.\/log\//, /^(zod|node:fs)$/] },
  {
    part: 'events of the API',
    files: /^webhooks\//,
    may: [
      LISTEN,
      CONNECTORS,
      ERRORS,
      DISK,
      /^\.\/webhooks\//,
      /^\.\/workflows\/ids\.ts$/,
      /^\.\/temporal\/follow-workflow\.ts$/,
      /^(zod|node:(crypto|http|timers\/promises))$/,
    ],
    types: [/^node:net$/, /^\.\/temporal\/session\.ts$/, /^\.\/audit\/store-api\.ts$/],
  },
  {
    part: 'activities',
    files: /^activities\//,
    may: [
      /^\.\/(calendar|exports|schedules|activities|audit|push|outbound|reconcile|notify)\//,
      ANSWER,
      STREAM,
      SHAPE,
      PARTNER,
      STORE,
      DESTINATION,
      READING,
      ERRORS,
      SECRETS,
      /^@temporalio\/activity$/,
      /^node:(crypto|path|timers\/promises)$/,
    ],
    types: [/^@temporalio\//],
  },
  {
    part: 'workflows',
    files: /^workflows\//,
    may: [/^\.\/workflows\//, /^@temporalio\/(workflow|common)$/],
    types: [/^\.\/activities\//, ERRORS],
  },
  {
    part: 'the sandbox',
    files: /^sandbox\//,
    may: [STREAM, STREAMS, CONTRACT, DAYS, /^\.\/sandbox\//, ANY_PACKAGE_BUT_TEMPORAL],
  },
  {
    part: 'Temporal: its server, and the work that it is given',
    files: /^temporal\//,
    may: [
      CALENDAR,
      ERRORS,
      DISK,
      FILE_LOCK,
      SECRET_FILE,
      DATABASE,
      /^\.\/(temporal\/|workflows\/(ids|results)\.ts$|reading\/(asked-range|check-offered)\.ts$)/,
      /^@temporalio\/(client|worker)$/,
      ANY_PACKAGE_BUT_TEMPORAL,
    ],
    types: [/^\.\/(activities|push|workflows)\//],
  },
  {
    part: 'how everything stands',
    files: /^standing\//,
    may: [
      MONEY,
      /^\.\/(standing|audit|books|calendar|exports|outbound|reading|reconcile|schedules)\//,
      CONNECTORS,
      ERRORS,
      /^\.\/workflows\/ids\.ts$/,
      /^\.\/config\/secrets\.ts$/,
      /^\.\/notify\/settings\.ts$/,
      /^\.\/temporal\/server\/process-identity\.ts$/,
      /^\.\/commands\/(terminal\/number|books\/another-chart)\.ts$/,
      /^node:(crypto|fs|os|path)$/,
    ],
    types: [/^\.\/config\.ts$/],
  },
  {
    part: 'alarms',
    files: /^notify\//,
    may: [
      /^\.\/notify\//,
      CALENDAR,
      DESTINATION,
      ERRORS,
      SECRET_SETTING,
      /^\.\/standing\/(alarm-kinds|notice)\.ts$/,
      /^\.\/schedules\/rules\/settings\.ts$/,
      /^(zod|undici|nodemailer|node:(child_process|crypto))$/,
    ],
    types: [/^\.\/standing\/alarms\.ts$/, /^\.\/schedules\/read-due\.ts$/],
  },
  {
    part: 'settings of the console',
    files: /^console\/(settings|password-hash|roles)\.ts$/,
    may: [
      LISTEN,
      SECRET_SETTING,
      /^\.\/console\/(password-hash|roles)\.ts$/,
      /^(zod|node:(crypto|util))$/,
    ],
  },
  {
    part: 'pages for people',
    files: /^console\//,
    may: [
      /^\.\/(console|standing|books|audit|reconcile|push|outbound|schedules|exports|calendar|text|money)\//,
      /^\.\/commands\/(status|coverage|plans|schedule|doctor|books|terminal|audit|reconcile|push|findings)(\/|\.ts$)/,
      CONNECTORS,
      DOCUMENTS,
      ERRORS,
      DISK,
      LISTEN,
      /^\.\/(version|webhooks\/address)\.ts$/,
      /^(fastify|node:(child_process|crypto|fs|http|os|path))$/,
    ],
    types: [/^\.\/config\.ts$/],
  },
  {
    part: 'commands',
    files: /^commands\//,
    may: [/^(?!\.\/((cli|program|config)\.ts$|connectors\/sqlite\/))/],
    types: [/^\.\/config\.ts$/],
  },
  { part: 'the installed program', files: /^bin\//, may: [/^\.\/(bin\/|cli\.ts$)/, /^node:/] },
  {
    part: 'composition roots',
    files: /^(worker|cli|program|vitest\.config)\.ts$/,
    may: [/^(?!\.\/connectors\/sqlite\/)/],
  },
  { part: 'tests and tools', files: /^(test|bench|tools)\//, may: [ANYTHING] },
]

/** What the table forbids in one file; a file without a row is a breach too. */
export function findBreaches(file: string, source: string): string[] {
  const row = ROWS.find(({ files }) => files.test(file))
  if (row === undefined) return [`${file} belongs to no part of the house: give it a row`]
  return readImports(file, source)
    .filter(
      ({ target, typeOnly }) =>
        ![...row.may, ...(typeOnly ? (row.types ?? []) : [])].some(allowed => allowed.test(target)),
    )
    .map(
      ({ target, typeOnly }) =>
        `${file} (${row.part}) imports ${typeOnly ? 'types of ' : ''}${target}`,
    )
}
