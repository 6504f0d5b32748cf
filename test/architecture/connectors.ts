import {
  ANY_PACKAGE_BUT_TEMPORAL,
  PURE_PACKAGES,
  ERRORS,
  DISK,
  BYTES,
  SHAPE,
  FINDINGS,
  STREAM,
  CALENDAR,
  QUOTE,
  ANSWER,
  STREAMS,
  CONTRACT,
  PARTNER,
  DESTINATION,
  SQL,
  POSTGRES,
  SQLITE,
  DATABASE,
  STORE,
} from './places.ts'
import type { Row } from './places.ts'

/** Who may import whom below `connectors/`. */
export const CONNECTOR_ROWS: readonly Row[] = [
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
]
