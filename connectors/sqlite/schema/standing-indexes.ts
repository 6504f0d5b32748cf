import { INDEXES_OF_STANDING } from '../../sql/standing-indexes.ts'

const instantSql = (iso: string): string =>
  `CAST(round(unixepoch(${iso}, 'subsec') * 1000) AS INTEGER)`
const READ_AT = "CASE WHEN json_valid(evidence) THEN evidence ->> 'readAt' END"

/** Times of a window as numbers. They are virtual: what an index holds of them is read there. */
export const STANDING_INDEXES = [
  `ALTER TABLE windows ADD start_ms INTEGER
   GENERATED ALWAYS AS (${instantSql('window_start')}) VIRTUAL`,
  `ALTER TABLE windows ADD end_ms INTEGER
   GENERATED ALWAYS AS (${instantSql('window_end')}) VIRTUAL`,
  `ALTER TABLE windows ADD read_at TEXT GENERATED ALWAYS AS (${READ_AT}) VIRTUAL`,
  ...INDEXES_OF_STANDING,
]
