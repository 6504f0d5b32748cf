/** A part of the house, and what it may import. Whatever is not named is forbidden. */
export interface Row {
  part: string
  files: RegExp
  /** Modules that are there when the code runs. */
  may: readonly RegExp[]
  /** Besides those, by `import type` alone. */
  types?: readonly RegExp[]
}

/** Modules by where they are; the table of the house speaks of them by these names. */
export const ANYTHING = /^/
export const ANY_PACKAGE_BUT_TEMPORAL = /^(?!\.\/|@temporalio\/)/
export const PURE_PACKAGES = /^(zod|@date-fns\/tz|node:crypto)$/
/** Imports nothing, and everybody may: what JavaScript has not got. */
export const LANGUAGE = /^\.\/closing\.ts$/
export const ERRORS = /^\.\/errors\.ts$/
/** What the system says of a file, in words. */
export const DISK = /^\.\/disk\.ts$/
/** Amounts and decimals: pure. */
export const MONEY = /^\.\/money\//
/** CSV and JSON as text, and what a record says. */
export const TEXT = /^\.\/text\//
export const EXACT_JSON = /^\.\/text\/exact-json\.ts$/
/** Locks between processes. */
export const FILE_LOCK = /^\.\/file-lock\.ts$/
/** Where this program listens. */
export const LISTEN = /^\.\/(config\/)?listen\.ts$/
/** Which hosts nobody else hears. */
export const THIS_MACHINE = /^\.\/this-machine\.ts$/
export const SECRETS = /^\.\/secrets\.ts$/
/** Declares which settings are secret. */
export const SECRET_SETTING = /^\.\/secret-setting\.ts$/
export const SHAPE = /^\.\/connectors\/shape\.ts$/
export const FINDINGS = /^\.\/connectors\/findings\.ts$/
export const STREAM = /^\.\/connectors\/(quote|stream|stream-sql|cells|personal-fields)\.ts$/
/** Exports in a bucket. */
export const OBJECTS = /^\.\/objects\//
/** Days without zones: facts that no two clocks can differ about. */
export const DAYS = /^\.\/calendar\/days\.ts$/
/** Which names are time zones. */
export const ZONES = /^\.\/calendar\/is-time-zone\.ts$/
export const CALENDAR = /^\.\/calendar\//
export const QUOTE = /^\.\/connectors\/quote\.ts$/
/** The records of an answer: walked, judged, their values. */
export const ANSWER = /^\.\/connectors\/answer\//
export const STREAMS = /^\.\/connectors\/partner\/streams\//
export const NAMES = /^\.\/names\.ts$/
export const CONTRACT = /^\.\/connectors\/partner\/contract\//
export const PARTNER = /^\.\/connectors\/partner\//
export const DESTINATION = /^\.\/connectors\/destination\//
export const READING = /^\.\/reading\//
/** SQL that is the same in every database. */
export const SQL = /^\.\/connectors\/sql\//
/** Records on their way into tables. */
export const STAGED = /^\.\/connectors\/staged\//
/** People in records, and those who were forgotten. */
export const PEOPLE = /^\.\/connectors\/people\//
export const POSTGRES = /^\.\/connectors\/postgres\//
/** Small files of this machine beside a database, whatever it is. */
export const LOCAL = /^\.\/connectors\/local\//
/** Which address a database has, and of what kind it is. */
export const ADDRESS = /^\.\/connectors\/server-address\.ts$/
/** Everything out of one database and into another. */
export const COPY = /^\.\/connectors\/copy\//
export const SQLITE = /^\.\/connectors\/sqlite\//
export const DOCUMENTS = /^\.\/documents\//
/** What names the destination in use. */
export const DATABASE = /^\.\/connectors\/database(-for-exports|-kind)?\.ts$/
/** A store with its keys, whose shop is asked for before anything else. */
export const STORE = /^\.\/connectors\/store\//
export const CONNECTORS = /^\.\/connectors\/(?!sql\/|sqlite\/|postgres\/|local\/|staged\/|people\/)/
