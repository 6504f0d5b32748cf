import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { amountText, CENT } from '../../../exports/books/amount.ts'
import { addUp, sidesOf } from '../../../exports/journal/entry.ts'
import type { JournalEntry, JournalLine } from '../../../exports/journal/entry.ts'
import { readGeneric, writeGeneric } from '../../../exports/journal/formats/generic.ts'
import { journalNumber } from '../../../exports/journal/journal-number.ts'
import { reviseJournal } from '../../../exports/journal/revise.ts'
import type { WantedJournal } from '../../../exports/journal/revise.ts'
import { aLine } from './a-line.ts'

const DAY = '2026-03-08'
const SOLD = [aLine('1010', '100.00'), aLine('4010', '-100.00')]
const EDITED = [aLine('1050', '100.00'), aLine('4010', '-100.00')]
const wanted = (
  revision: number,
  lines: readonly JournalLine[],
  rest: Partial<WantedJournal> = {},
): WantedJournal => ({
  store: { code: 'S1', location: 'S1', subsidiary: '', xeroTaxRate: 'Tax Exempt' },
  businessDate: DAY,
  lines,
  revision,
  today: '2026-04-17',
  periodClosedThrough: undefined,
  ...rest,
})
const inShort = (entries: readonly JournalEntry[]): string[] =>
  entries.flatMap(({ number, date, lines }) => [
    `${number} ${date}`,
    ...lines.map(({ account, amount }) => `  ${account.code} ${amountText(amount)}`),
  ])

describe('the entries of a revision', () => {
  it('are the day itself, the first time', () => {
    expect(inShort(reviseJournal(wanted(0, SOLD), undefined))).toEqual([
      'S1-20260308-R0 2026-03-08',
      '  1010 100.00',
      '  4010 -100.00',
    ])
  })

  it('are none where the books say it already', () => {
    expect(reviseJournal(wanted(1, SOLD), reviseJournal(wanted(0, SOLD), undefined))).toEqual([])
  })

  it('reverse and post again on the original date while the period is open', () => {
    const first = reviseJournal(wanted(0, SOLD), undefined)
    expect(
      inShort(reviseJournal(wanted(1, EDITED, { periodClosedThrough: '2026-03-07' }), first)),
    ).toEqual([
      'S1-20260308-X1 2026-03-08',
      '  1010 -100.00',
      '  4010 100.00',
      'S1-20260308-R1 2026-03-08',
      '  1050 100.00',
      '  4010 -100.00',
    ])
  })

  it('are the difference alone, dated on the day of the run, once the period is closed', () => {
    const first = reviseJournal(wanted(0, SOLD), undefined)
    expect(inShort(reviseJournal(wanted(1, EDITED, { periodClosedThrough: DAY }), first))).toEqual([
      'S1-20260308-R1 2026-04-17',
      '  1010 -100.00',
      '  1050 100.00',
    ])
  })

  it('are a change where a day that was given out as empty gets its first sale in a closed period', () => {
    expect(inShort(reviseJournal(wanted(1, SOLD, { periodClosedThrough: DAY }), []))).toEqual([
      'S1-20260308-R1 2026-04-17',
      '  1010 100.00',
      '  4010 -100.00',
    ])
  })

  it('leave in a later month what was posted to it while the day was closed, and are right together', () => {
    const sold = (amount: string) => [aLine('1010', amount), aLine('4010', `-${amount}`)]
    let posted = reviseJournal(wanted(0, sold('100.00')), undefined)
    const closed = { periodClosedThrough: DAY }
    posted = [...posted, ...reviseJournal(wanted(1, sold('105.00'), closed), posted)]
    posted = [...posted, ...reviseJournal(wanted(2, sold('110.00')), posted)]
    const cashOn = (date: string): string[] =>
      addUp(posted.filter(entry => entry.date === date).flatMap(({ lines }) => lines))
        .filter(({ account }) => account.code === '1010')
        .map(({ amount }) => amountText(amount))
    expect([cashOn(DAY), cashOn('2026-04-17')]).toEqual([['105.00'], ['5.00']])
  })

  it('are only the reversal where nothing is left of the day', () => {
    const first = reviseJournal(wanted(0, SOLD), undefined)
    expect(inShort(reviseJournal(wanted(1, []), first))).toEqual([
      'S1-20260308-X1 2026-03-08',
      '  1010 -100.00',
      '  4010 100.00',
    ])
  })

  it('bring the books to what is wanted, through any history of changes, closings and files', () => {
    const state = fc
      .array(
        fc.tuple(
          fc.constantFrom('1010', '1050', '2210', '4080'),
          fc.integer({ min: -9999, max: 9999 }),
        ),
        { maxLength: 6 },
      )
      .map(parts => {
        const lines = addUp(
          parts.map(([code, cents]) => ({ ...aLine(code, '0'), amount: BigInt(cents) * CENT })),
        )
        const { debit, credit } = sidesOf(lines)
        return addUp([...lines, { ...aLine('4010', '0'), amount: credit - debit }])
      })
    fc.assert(
      fc.property(
        fc.array(fc.tuple(state, fc.boolean()), { minLength: 1, maxLength: 6 }),
        history => {
          let posted: JournalEntry[] | undefined
          for (const [revision, [lines, closed]] of history.entries()) {
            const entries = reviseJournal(
              wanted(revision, lines, { periodClosedThrough: closed ? DAY : undefined }),
              posted,
            )
            for (const entry of entries)
              expect(sidesOf(entry.lines)).toMatchObject({ debit: sidesOf(entry.lines).credit })
            posted = [
              ...(posted ?? []),
              ...readGeneric(writeGeneric({ storeKey: 'c:s', entries }), DAY),
            ]
            const standing = addUp(posted.flatMap(entry => entry.lines))
            expect(standing.map(({ account, amount }) => [account.code, amount])).toEqual(
              lines.map(({ account, amount }) => [account.code, amount]),
            )
          }
        },
      ),
      { numRuns: process.env['TILLAGE_LONG'] === '1' ? 5000 : 200 },
    )
  })
})

describe('a journal number', () => {
  it('is store, day and revision, in at most 21 characters', () => {
    expect(journalNumber('S1', DAY, 'posting', 0)).toBe('S1-20260308-R0')
    expect(journalNumber('S1', DAY, 'reversal', 3)).toBe('S1-20260308-X3')
    expect(journalNumber('downtown', DAY, 'posting', 10)).toBe('downtown-20260308-R10')
    expect(journalNumber('store-in-the-long-street-1', DAY, 'posting', 0)).toHaveLength(21)
  })

  it('differs for two stores whose names begin alike', () => {
    expect(journalNumber('downtown-west', DAY, 'posting', 0)).not.toBe(
      journalNumber('downtown-east', DAY, 'posting', 0),
    )
  })
})
