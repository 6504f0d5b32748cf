/**
 * The code of every error of ours, and what to do about it. A code is stable: it is printed, kept
 * in the ledger and matched by workflows (where only strings survive), so it is never renamed or
 * reused.
 */

/** What the caller should do about an error. */
export type Recovery =
  /** Nothing will change by itself: keys, permissions, configuration, a wrong command. */
  | 'fatal'
  /** Worth another try by the one owner of retries, `workflows/proxies.ts`. */
  | 'retry'
  /** One record cannot be loaded; it is kept aside and the rest goes on. */
  | 'dead-letter'
  /** This window stays unproven, with its reason; the others go on. */
  | 'park'

export const ERROR_CODES = {
  USAGE: {
    recovery: 'fatal',
    exit: 2,
    means: 'the command line asks for something that does not exist',
  },
  CONFIG: {
    recovery: 'fatal',
    exit: 2,
    means: 'tillage.yaml or the environment is wrong; every problem is listed',
  },
  DELIVERY_FAILED: {
    recovery: 'retry',
    exit: 1,
    means: 'a channel of `notify` did not take a notice; it is tried for a day',
  },
  PARTNER_KEYS: {
    recovery: 'fatal',
    exit: 1,
    means: 'the API refused the partner key or the developer key (401)',
  },
  PARTNER_PERMISSION: {
    recovery: 'fatal',
    exit: 1,
    means: 'the partner key lacks a permission (403)',
  },
  PARTNER_NOT_API: {
    recovery: 'retry',
    exit: 1,
    means: 'the base URL answers, but not as the Partner Commerce API',
  },
  PARTNER_REFUSED: {
    recovery: 'park',
    exit: 3,
    means: 'the API refused this request (another 4xx)',
  },
  PARTNER_RATE_LIMIT: { recovery: 'retry', exit: 3, means: 'the API asked us to slow down (429)' },
  PARTNER_UNAVAILABLE: { recovery: 'retry', exit: 3, means: 'the API failed (5xx)' },
  PARTNER_UNREACHABLE: {
    recovery: 'retry',
    exit: 1,
    means: 'no answer: connection refused, dropped or timed out',
  },
  PARTNER_TRUNCATED: {
    recovery: 'retry',
    exit: 3,
    means: 'the answer was cut off, damaged, or is not JSON',
  },
  PARTNER_ERROR_BODY: {
    recovery: 'retry',
    exit: 3,
    means: 'the answer is an error body under status 200 (INV-4)',
  },
  PARTNER_ENVELOPE: {
    recovery: 'park',
    exit: 3,
    means: 'the answer is JSON, but no known list envelope (INV-4)',
  },
  PARTNER_TOO_LARGE: {
    recovery: 'park',
    exit: 3,
    means:
      'an answer is larger than limits.megabytesPerAnswer of the store; nothing of it was used',
  },
  PARTNER_TOO_SLOW: {
    recovery: 'park',
    exit: 3,
    means: 'an answer took longer than limits.secondsPerAnswer of the store',
  },
  WINDOW_TOO_LARGE: {
    recovery: 'park',
    exit: 3,
    means:
      'the list of a window did not end within the limits of the store; nothing of it was kept',
  },
  STORE_UNKNOWN: {
    recovery: 'fatal',
    exit: 1,
    means: 'the key belongs to another store than before, or the store does not say its time zone',
  },
  STORE_TWICE: {
    recovery: 'fatal',
    exit: 1,
    means: 'this shop is in the database, or in tillage.yaml, under another id; nothing was read',
  },
  ROWS_OF_ANOTHER_SHOP: {
    recovery: 'park',
    exit: 3,
    means:
      'a list holds records of another company or shop than the key stands for, or, ' +
      'where the API does not say whose key it is, than the rows in the database (INV-13)',
  },
  STORE_ZONE: {
    recovery: 'fatal',
    exit: 1,
    means:
      'tillage.yaml, the API and the rows in the database do not agree on the time zone of a store',
  },
  DATABASE_NEWER: {
    recovery: 'fatal',
    exit: 1,
    means: 'the database was written by a newer version of Tillage',
  },
  DATABASE_TOO_OLD: {
    recovery: 'fatal',
    exit: 1,
    means: 'the database was written by a version whose databases are no longer opened',
  },
  DATABASE_MOVED: {
    recovery: 'fatal',
    exit: 1,
    means: 'the database was moved to another place, and takes no writes any more',
  },
  DATABASE_INCOMPLETE: {
    recovery: 'fatal',
    exit: 1,
    means: 'a copy into the database has not ended, so nothing else opens it',
  },
  DATABASE_NOT_EMPTY: {
    recovery: 'fatal',
    exit: 1,
    means: 'rows were to be copied into a database that has some; nothing was changed',
  },
  DATABASE_OLDER: {
    recovery: 'fatal',
    exit: 1,
    means: 'the database is of an earlier version, which commands that only read do not change',
  },
  DATABASE_BROKEN: {
    recovery: 'fatal',
    exit: 1,
    means:
      'the database file cannot be opened or is damaged, or the disk that the message names ' +
      'fails or is mounted read-only',
  },
  SCRATCH_BROKEN: {
    recovery: 'retry',
    exit: 1,
    means: 'a temporary file is damaged; the database is not',
  },
  DATABASE_BUSY: {
    recovery: 'retry',
    exit: 1,
    means: 'another process holds the database; nothing of the window was kept',
  },
  DATABASE_FULL: {
    recovery: 'fatal',
    exit: 1,
    means:
      'the disk that the message names, a quota or a limit of file sizes is full; nothing of the ' +
      'step was kept',
  },
  DATABASE_UNREACHABLE: {
    recovery: 'retry',
    exit: 1,
    means: 'the database server does not answer, or takes no connection or no writes just now',
  },
  DATABASE_REFUSED: {
    recovery: 'fatal',
    exit: 1,
    means: 'the database server refuses the role, or lacks the database, the schema or a right',
  },
  TOO_MANY_FILES: {
    recovery: 'fatal',
    exit: 1,
    means: 'this process, or the machine, has reached its limit of open files',
  },
  COUNTS_DIFFER: {
    recovery: 'fatal',
    exit: 1,
    means: 'fetched rows and stored rows do not add up (INV-3)',
  },
  WINDOW_TAKEN_OVER: {
    recovery: 'retry',
    exit: 1,
    means: 'another attempt has read the window since; nothing of this one was kept',
  },
  EXPORT_TAKEN_OVER: {
    recovery: 'retry',
    exit: 1,
    means:
      'another machine has given the range out since, or another server has taken over the ' +
      'database; nothing more of this export was kept',
  },
  WRITES_TAKEN_OVER: {
    recovery: 'retry',
    exit: 1,
    means:
      'another run has written to the store since, or another server has taken over the database; ' +
      'nothing more of this one was sent',
  },
  TEMPORAL_MISSING: {
    recovery: 'fatal',
    exit: 1,
    means: 'no Temporal server could be found, downloaded or built',
  },
  TEMPORAL_UNREACHABLE: {
    recovery: 'fatal',
    exit: 1,
    means: 'the configured Temporal server does not answer',
  },
  WORK_TIMED_OUT: {
    recovery: 'fatal',
    exit: 1,
    means: 'a step of the work did not report in time: the machine is overloaded or was asleep',
  },
  MESSAGE_REFUSED: {
    recovery: 'fatal',
    exit: 1,
    means: 'a message in Temporal was not signed with the key of this database; it was ignored',
  },
  TEMPORAL_SHARED: {
    recovery: 'fatal',
    exit: 1,
    means: 'another database uses the same names of work in the same namespace of Temporal',
  },
  NOT_PROVEN: {
    recovery: 'park',
    exit: 3,
    means: 'the range or the list is not proven, so nothing was made from it',
  },
  JOURNAL_HELD: {
    recovery: 'park',
    exit: 3,
    means:
      'the figures of a store and day do not tie out, so there is no journal of it; ' +
      'its exceptions and tie-out say why',
  },
  COUNTS_INVALID: {
    recovery: 'fatal',
    exit: 2,
    means: 'counts files have mistakes; every one is listed, and nothing was planned',
  },
  LIST_MOVED: {
    recovery: 'park',
    exit: 1,
    means: 'a list changed during every reading, so nothing was made from it',
  },
  MOVEMENT_UNPROVEN: {
    recovery: 'fatal',
    exit: 1,
    means: 'movements since a count could not be proven, so nothing was planned',
  },
  NOT_APPROVED: {
    recovery: 'fatal',
    exit: 1,
    means:
      'a plan, or the rest of it, lacks an approval that it needs, ' +
      'or an approval has expired (INV-8)',
  },
  OTHER_TARGET: {
    recovery: 'fatal',
    exit: 1,
    means:
      'a store has another address than its plan was made for, or another shop answers there; ' +
      'nothing was sent to it',
  },
  PLAN_BUSY: {
    recovery: 'fatal',
    exit: 1,
    means: 'another process is carrying the plan out right now',
  },
  PLAN_INTERRUPTED: {
    recovery: 'fatal',
    exit: 1,
    means: 'the run of a plan ended early; the rest waits until somebody applies it again',
  },
  PLAN_UNDONE: {
    recovery: 'fatal',
    exit: 1,
    means: 'another plan undoes the plan, so nothing more of it is sent',
  },
  PLAN_DISCARDED: {
    recovery: 'fatal',
    exit: 1,
    means: 'a person discarded the plan, so nothing more of it is approved or sent',
  },
  CHANGES_ASKED: {
    recovery: 'fatal',
    exit: 1,
    means:
      'a person asked for changes of the plan, so nothing of it is approved or sent until then',
  },
  NOT_ALLOWED: {
    recovery: 'fatal',
    exit: 1,
    means: 'this person, or this step, is not allowed; the message says why',
  },
  EVIDENCE_CHANGED: {
    recovery: 'fatal',
    exit: 1,
    means: 'a file that is kept as evidence was changed or removed',
  },
  OBJECTS_UNREACHABLE: {
    recovery: 'retry',
    exit: 1,
    means: 'the bucket of `exports` gave no answer, so nothing was given out there',
  },
  OBJECTS_REFUSED: {
    recovery: 'fatal',
    exit: 1,
    means: 'the bucket of `exports` refused a request: its keys, a right, or its name',
  },
  OBJECTS_TAKEN: {
    recovery: 'retry',
    exit: 1,
    means: 'another machine has given out the same name in the bucket, with other bytes',
  },
  OBJECTS_WITHOUT_CONDITIONS: {
    recovery: 'fatal',
    exit: 1,
    means: 'the object storage of `exports` overwrites objects in spite of If-None-Match',
  },
  PUSH_CAP: {
    recovery: 'fatal',
    exit: 1,
    means: 'more records would be deactivated than --max-deactivations allows',
  },
  QUERY_ENDED: {
    recovery: 'fatal',
    exit: 1,
    means: 'a question in SQL exceeded its limit of time or size, and was ended',
  },
  INTERRUPTED: {
    recovery: 'fatal',
    exit: 1,
    means: 'stopped by the user; what was committed stays, run again to go on',
  },
  UNKNOWN: {
    recovery: 'fatal',
    exit: 1,
    means: 'an unexpected error; errors.log beside the database has the details',
  },
} as const satisfies Record<string, { recovery: Recovery; exit: 1 | 2 | 3; means: string }>

export type ErrorCode = keyof typeof ERROR_CODES
