import type { AnswerText, UnfitRecord } from '../record.ts'
import type { Stream } from '../stream.ts'
import { createRecordJudge } from './judge-records.ts'
import { createAnswerWalker } from './walk-answer.ts'

/** Records as the pages of an answer hold them: their text with its cells, and which do not fit. */
export interface ExaminedRecords {
  text: AnswerText
  unfit: readonly UnfitRecord[]
}

/** Of JSON texts that were kept before: valid, and without space between their tokens. */
export type RecordExaminer = (records: readonly string[]) => ExaminedRecords

export function createRecordExaminer(stream: Stream): RecordExaminer {
  const walk = createAnswerWalker(stream)
  const judge = createRecordJudge(stream)
  return records => {
    const json = Buffer.from(`[${records.join(',')}]`)
    const walked = walk(json, '$')
    if (walked?.cells === undefined) throw new TypeError('a kept record is no compact JSON')
    const text = { json, cells: walked.cells }
    return { text, unfit: judge(text, walked) }
  }
}
