import fc from 'fast-check'
import { expect, it } from 'vitest'
import { recordTexts } from '../../../connectors/answer/judge-records.ts'
import { createPageReader, pageReaderOf } from '../../../connectors/partner/read-page.ts'
import type { PageReader } from '../../../connectors/partner/read-page.ts'
import { PartnerError } from '../../../errors.ts'
import { tickets } from '../../reading/list-server.ts'

const WINDOW = { startMs: 1000, endMs: 2001 }
const ANSWERS = [
  '{"values":[{"id":"a","modified":1500,"created":1200},{"id":"b","odd":{"n":[1]}}],"total":2}',
  '[{"id":"c","modified":1500}]',
  '{"searchResult":[{"id":"d","pin":"4711","created":"1200"}],"total":1}',
  '{"values":[{"id":"e","modified":',
  '{"errorType":"x","message":"no"}',
  '{"values":[{"id":"f","id":"g"}]}',
]

/** What somebody gets to know of an answer; the tree of its fields is the reader's own. */
function told(read: PageReader, answer: string): unknown {
  try {
    const { walked, ...page } = read(Buffer.from(answer), WINDOW)
    const { records, doubtful, twice, hasFieldTwice } = walked!
    const texts = recordTexts(tickets, page)
    return { ...page, text: undefined, texts, records, doubtful, twice, hasFieldTwice }
  } catch (error) {
    expect(error).toBeInstanceOf(PartnerError)
    return (error as PartnerError).message
  }
}

it('the reader that all stores share is one for each stream, and tells of an answer what a new one does, whatever it has read before', () => {
  expect(pageReaderOf(tickets)).toBe(pageReaderOf(tickets))
  expect(pageReaderOf({ ...tickets })).not.toBe(pageReaderOf(tickets))
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...ANSWERS), { maxLength: 12 }), answers => {
      for (const answer of answers)
        expect(told(pageReaderOf(tickets), answer)).toEqual(told(createPageReader(tickets), answer))
    }),
  )
})
