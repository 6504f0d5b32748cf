import { describe, expect, it } from 'vitest'
import type { JournalEntry } from '../../../exports/journal/entry.ts'
import { writePage } from '../../../exports/journal/formats/page.ts'
import { writeFormat } from '../../../exports/journal/write-formats.ts'
import { aLine } from './a-line.ts'
import { entry, journal, journalOf, lines } from './example-journal.ts'

describe('the page of a journal', () => {
  const page = (...entries: JournalEntry[]): string => writePage(journalOf(...entries))

  it('says first what is posted, and has every line with the total of both sides', () => {
    const text = page(entry)
    expect(text).toContain(
      'The sales of 2026-03-08 at Store 1: S1-20260308-R0 posts 176.80 CAD, with equal debits and credits.',
    )
    expect(text.match(/<td/g)!.length % (lines.length + 1)).toBe(0)
    expect(text.match(/<b>176\.80<\/b>/g)).toHaveLength(2)
    expect(text).toContain('Debit, CAD')
    expect(text).toContain('@bottom-left { content: "Sales journal S1-20260308-R0"')
    expect(text).not.toContain('What needs somebody')
  })

  it('says what is taken back, what is dated later, and what waits for somebody', () => {
    const parked = aLine('9999', '0.10', { metric: 'suspense' })
    const text = page(
      { ...entry, number: 'S1-20260308-X1', kind: 'reversal', date: '2026-04-17', note: 'old' },
      { ...entry, number: 'S1-20260308-R1', note: 'without the cost of 3 lines', lines: [parked] },
    )
    expect(text).toContain('S1-20260308-X1 takes back 176.80 CAD; S1-20260308-R1 posts 0.10 CAD')
    expect(text).toContain('S1-20260308-X1: reversal of sales of 2026-03-08, dated 2026-04-17')
    expect(text).toContain('S1-20260308-R1 is posted without the cost of 3 lines.')
    expect(text).toContain('S1-20260308-R1 has 0.10 CAD on 9999')
    expect(text).not.toContain('is posted old')
  })

  it('says of a day without sales that there were none', () => {
    const text = page({ ...entry, lines: [] })
    expect(text).toContain('Store 1 has no sales to post on 2026-03-08.')
    expect(text).not.toContain('<table')
  })

  it('is a file of its own kind', () => {
    expect(
      writeFormat('page', journal).map(({ dataset, extension, rows }) => [
        dataset,
        extension,
        rows,
      ]),
    ).toEqual([['journal_page', 'html', lines.length]])
  })
})
