import type { PageToStage } from '../../../connectors/destination/windows.ts'
import { createPageReader } from '../../../connectors/partner/read-page.ts'
import type { Page } from '../../../connectors/partner/read-page.ts'
import type { Stream } from '../../../connectors/stream.ts'
import { pageToStage } from '../../../reading/reading.ts'

/** Records, as JSON texts, as the reader takes them out of an answer. */
export const readRecords = (stream: Stream, records: readonly string[]): Page =>
  createPageReader({ ...stream, answers: 'complete' })(Buffer.from(`[${records.join(',')}]`), {
    startMs: -Infinity,
    endMs: Infinity,
  })

/** A page of records, as JSON texts. */
export const pageOf = (
  stream: Stream,
  records: readonly string[],
  reading = 'r',
  page = 0,
): PageToStage => pageToStage(reading, readRecords(stream, records), page)
