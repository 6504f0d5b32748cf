/** What a finding means, and what somebody should do about it. */
interface FindingText {
  /** One sentence about the API. */
  means: string
  /** What follows for the tables and files, and what to do. */
  remedy: string
}

/**
 * Every finding: something that the API did and the documentation does not say, or a reason why a
 * window could not be proven. A code is never renamed or used again; it lies in people's databases.
 * docs/findings.md is written from this table (`npm run docs`).
 */
export const FINDINGS = {
  clock_skew: {
    means: 'The clock of this machine and the `Date` of the API are minutes apart.',
    remedy:
      'Set the clock of the machine right. Nothing is proven beyond the time of the API; ' +
      'nights with an hour or more between the two wait.',
  },
  store_not_identified: {
    means: 'The API does not say which shop the developer key belongs to.',
    remedy:
      'Nothing is compared then: make sure that no shop is in tillage.yaml under two ids, ' +
      'and that keys are those of the right store.',
  },
  shop_under_two_ids: {
    means: 'One shop is in the database under two ids; it was created before this check.',
    remedy:
      'Take one of the two out of tillage.yaml; ' +
      'what was read of it stays in the tables under its id.',
  },
  offset_parameter: {
    means: 'The API ignores the documented offset parameter, `start` or `skip`.',
    remedy:
      'Nothing: the other parameter was tried. If windows stay unproven, see `offset_ignored`.',
  },
  offset_ignored: {
    means: 'Each offset is answered with the first page.',
    remedy:
      'A list that fits one page is proven all the same. ' +
      'For a longer one, ask the provider of the API how pages are asked for.',
  },
  page_cap: {
    means: 'Pages hold fewer rows than were asked for.',
    remedy: 'Nothing: pages are counted by the rows received. It takes more requests.',
  },
  page_over_limit: {
    means: 'A page held more rows than were asked for.',
    remedy: 'Nothing: all of them are read.',
  },
  page_too_large: {
    means: 'A page was larger than `limits.megabytesPerAnswer` of the store.',
    remedy: 'Nothing: pages of fewer rows were asked for. It takes more requests.',
  },
  limit_refused: {
    means: 'The API refuses a page that is larger than its limit, instead of answering fewer rows.',
    remedy:
      'Nothing: the largest accepted `limit` was found, and is kept for the next run. ' +
      'It takes more requests.',
  },
  empty_page: {
    means: 'A page in the middle of the list was empty, in two passes in a row.',
    remedy:
      'The window stays unproven, its rows are kept. `sync` again later; ' +
      'if it stays, the API loses rows between pages.',
  },
  total_missing: {
    means: 'The answer does not say how many rows there are.',
    remedy: 'Nothing: two or three passes that agree prove the window instead of one.',
  },
  total_moves: {
    means: 'The total changed from page to page while the list stayed the same.',
    remedy: 'Nothing, if the window is proven: it was proven without the total.',
  },
  total_wrong: {
    means: 'The total differs from the number of rows in the list.',
    remedy: 'Nothing, if the window is proven. A total that is too high is `total_above_rows`.',
  },
  total_above_rows: {
    means: 'The total is higher than the number of rows that can be read.',
    remedy:
      'The window stays unproven, because the missing rows may be real. `sync` again later, ' +
      'then ask the provider of the API.',
  },
  repeated_ids: {
    means: 'The list shows a record more than once.',
    remedy:
      'Records with an id are kept once. Where fields stand in for an id, ' +
      'two records may share them: then the window stays unproven.',
  },
  outside_window: {
    means: 'The list holds rows of which every time lies outside the requested dates.',
    remedy:
      'The window stays unproven, because it is not known what the API filters by. ' +
      '`doctor` shows how each list takes dates.',
  },
  filters_by_another_time: {
    means: 'The date filter of this list does not use `modified`.',
    remedy:
      'Records that are edited later stay in their old window. A regular `sync --again`, ' +
      'or the sweep of `schedules`, brings their edits.',
  },
  not_offered: {
    means: 'The API, or this partner key, does not have this list.',
    remedy:
      'Nothing if it is not needed; where lots are missing, journals know no costs of goods. ' +
      'Otherwise ask for the permission that `doctor` names.',
  },
  many_absent: {
    means: 'Implausibly many known rows are missing from the list.',
    remedy:
      'No row is marked as deleted and the window stays unproven. Look at the store itself; ' +
      '`sync --again` when the list is back.',
  },
  list_hides_rows: {
    means: 'Rows that can be read by id, as their list showed them before, are missing from it.',
    remedy:
      'The window stays unproven, the rows stay. `sync --again` later; ' +
      'if it stays, report it to the provider with the ids.',
  },
  absence_unclear: {
    means: 'Known rows are missing from the list, and nothing proves that they are deleted.',
    remedy:
      'The rows stay, the window stays unproven. Where a store cut off its history at the API, ' +
      'that stays so for those days.',
  },
  calendar_changed: {
    means: 'The API interprets requested days differently than before.',
    remedy:
      'Nothing is lost: every window shows by its own rows how its days were read, ' +
      'or is asked for with days to spare. From now on all are, which takes more requests; ' +
      '`doctor` looks again.',
  },
  field_added: {
    means: 'Records have a field that they did not have before.',
    remedy: 'Nothing is lost: it is in `raw`. Declare it if you want a column.',
  },
  field_missing: {
    means: 'A field that every record had is missing from some.',
    remedy: 'Its column is empty there. Ask the provider of the API whether that is meant.',
  },
  field_retyped: {
    means: 'A field holds another type of value than before, such as a text instead of a number.',
    remedy:
      'A value that does not fit its column makes the record a dead letter: `dead-letters list`.',
  },
  text_unreadable: {
    means: 'Answers hold bytes that are not UTF-8, and name no charset.',
    remedy:
      'The character U+FFFD replaces them, in the tables and in every file. ' +
      'Once the API answers UTF-8, or names its charset in `Content-Type`, ' +
      '`sync --again` brings the letters. Until then no push sends such a record.',
  },
  decimal_beyond_type: {
    means: 'Decimals have more digits than their column in Parquet files can hold.',
    remedy:
      'Nothing is lost: CSV, JSONL and the database have every digit, ' +
      'and Parquet has them as JSON in the column `exact_decimals`. ' +
      'There the column itself is rounded, and empty where its whole digits are too many.',
  },
  journal_from_files: {
    means:
      'The exports hold journals of a day that are newer than what the database remembers of it: ' +
      'it came back from an older backup, or somebody else wrote them.',
    remedy:
      'They count as posted, and the next journal of the day starts from them. ' +
      'If nobody restored a database, ask who wrote them: `verify` names the manifest.',
  },
} as const satisfies Record<string, FindingText>

export type FindingCode = keyof typeof FINDINGS
