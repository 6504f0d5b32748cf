import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addUp, sidesOf } from '../../../exports/journal/entry.ts'
import type { JournalEntry, JournalLine } from '../../../exports/journal/entry.ts'
import { readGeneric, writeGeneric } from '../../../exports/journal/formats/generic.ts'
import { journalNumber } from '../../../exports/journal/journal-number.ts'
import { reviseJournal } from '../../../exports/journal/revise.ts'
import type { WantedJournal } from '../../../exports/journal/revise.ts'
import { amountText, CENT } from '../../../money/amount.ts'
import { aLine } from './a-line.ts'

const DAY = '2026-03-08'
const STORE = { code: 'S1', location: 'S1', subsidiary: '', xeroTaxRate: 'Tax Exempt' }
const SOLD = [aLine('1010', '100.00'), aLine('4010', '-100.00')]
const EDITED = [aLine('1050', '100.00'), aLine('4010', '-100.00')]
const wanted = (
  revision: number,
  lines: readonly JournalLine[],
  rest: Partial<WantedJournal> = {},
): WantedJournal => ({
  store: STORE,
  businessDate: DAY,
  lines,
  revision,
  today: '2026-04-17',
  periodClosedThrough: undefined,
  ...rest,
})
const linesOf = ({ lines }: JournalEntry): readonly JournalLine[] => lines
const negated = (line: JournalLine): JournalLine => ({ ...line, amount: -line.amount })
/** Cents by account. */
const amounts = (lines: readonly JournalLine[]): unknown[] =>
  addUp(lines).map(({ account, amount }) => [account.code, amount])
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

  const sold = (amount: string) => [aLine('1010', amount), aLine('4010', `-${amount}`)]
  const inCash = (posted: readonly JournalEntry[]): string[] =>
    [...Map.groupBy(posted, ({ date }) => date)].flatMap(([date, entries]) =>
      addUp(entries.flatMap(({ lines }) => lines))
        .filter(({ account }) => account.code === '1010')
        .map(({ amount }) => `${date} ${amountText(amount)}`),
    )
  /** A day of 100.00 that became 105.00 while it was closed. */
  const changedWhileClosed = (): JournalEntry[] => {
    const first = reviseJournal(wanted(0, sold('100.00')), undefined)
    const closed = { periodClosedThrough: DAY }
    return [...first, ...reviseJournal(wanted(1, sold('105.00'), closed), first)]
  }

  it('bring back from a later month what was posted to it while the day was closed', () => {
    const posted = changedWhileClosed()
    expect(inCash(posted)).toEqual([`${DAY} 100.00`, '2026-04-17 5.00'])
    const revised = reviseJournal(wanted(2, sold('110.00'), { today: '2026-05-02' }), posted)
    expect(inShort(revised)).toEqual([
      `S1-20260308-X2 ${DAY}`,
      '  1010 -100.00',
      '  4010 100.00',
      'S1-20260308-Y2 2026-04-17',
      '  1010 -5.00',
      '  4010 5.00',
      `S1-20260308-R2 ${DAY}`,
      '  1010 110.00',
      '  4010 -110.00',
    ])
    expect(inCash([...posted, ...revised])).toEqual([`${DAY} 110.00`])
  })

  it('bring nothing back of a reopened day that did not change, unless somebody restates it', () => {
    const posted = changedWhileClosed()
    const same = wanted(2, sold('105.00'))
    expect(reviseJournal(same, posted)).toEqual([])
    const restated = reviseJournal({ ...same, isRestated: true }, posted)
    expect(restated.map(({ number }) => number.slice(-2))).toEqual(['X2', 'Y2', 'R2'])
    const all = [...posted, ...restated]
    expect(inCash(all)).toEqual([`${DAY} 105.00`])
    expect(reviseJournal({ ...same, revision: 3, isRestated: true }, all)).toEqual([])
  })

  it('take back a restatement of the closed day on the day that it was posted on, too', () => {
    const elsewhere = { location: 'Store 1', code: 'S1', subsidiary: '', xeroTaxRate: 'Tax Exempt' }
    const restated = { isRestated: true, store: elsewhere, periodClosedThrough: DAY }
    let posted = reviseJournal(wanted(0, sold('100.00')), undefined)
    posted = [...posted, ...reviseJournal(wanted(1, sold('100.00'), restated), posted)]
    expect(posted.map(({ number, date }) => `${number.slice(-2)} ${date}`)).toEqual([
      `R0 ${DAY}`,
      'X1 2026-04-17',
      'R1 2026-04-17',
    ])
    const reopened = { store: elsewhere, today: '2026-05-02' }
    const revised = reviseJournal(wanted(2, sold('110.00'), reopened), posted)
    expect(revised.map(({ number, date }) => `${number.slice(-2)} ${date}`)).toEqual([
      `X2 ${DAY}`,
      'Y2 2026-04-17',
      'Z2 2026-04-17',
      `R2 ${DAY}`,
    ])
    expect(revised.map(({ store }) => store?.location)).toEqual(['S1', 'S1', 'Store 1', 'Store 1'])
    expect(inCash([...posted, ...revised])).toEqual([`${DAY} 110.00`])
  })

  it('put right what an earlier version took back in the wrong month', () => {
    const posted = changedWhileClosed()
    const tookBackOnTheDay = {
      ...posted[0]!,
      number: 'S1-20260308-X2',
      kind: 'reversal' as const,
      revision: 2,
      lines: posted.flatMap(linesOf).map(negated),
    }
    const again = { ...posted[0]!, number: 'S1-20260308-R2', revision: 2, lines: sold('110.00') }
    const wrong = [...posted, tookBackOnTheDay, again]
    expect(inCash(wrong)).toEqual([`${DAY} 105.00`, '2026-04-17 5.00'])
    const right = [...wrong, ...reviseJournal(wanted(3, sold('120.00')), wrong)]
    expect(inCash(right)).toEqual([`${DAY} 120.00`])
  })

  it('are an error that says what to do where so much was posted elsewhere that numbers end', () => {
    let posted = reviseJournal(wanted(0, sold('100.00')), undefined)
    for (let revision = 1; revision <= 25; revision++) {
      const closed = { periodClosedThrough: DAY, today: `2026-04-${revision + 1}` }
      posted = [
        ...posted,
        ...reviseJournal(wanted(revision, sold(`${100 + revision}`), closed), posted),
      ]
    }
    expect(() => reviseJournal(wanted(26, sold('200.00')), posted)).toThrow(/more than 25 entries/)
    const closed = wanted(26, sold('200.00'), { periodClosedThrough: DAY })
    expect(reviseJournal(closed, posted)).toHaveLength(1)
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
        fc.array(fc.tuple(state, fc.boolean(), fc.boolean()), { minLength: 1, maxLength: 8 }),
        history => {
          let posted: JournalEntry[] | undefined
          let month = 4
          const onDates = new Map<string, readonly JournalLine[]>()
          for (const [revision, [lines, isClosed, isLater]] of history.entries()) {
            if (isLater) month++
            const today = `2026-0${month}-17`
            const entries = reviseJournal(
              wanted(revision, lines, { today, periodClosedThrough: isClosed ? DAY : undefined }),
              posted,
            )
            for (const entry of entries)
              expect(sidesOf(entry.lines)).toMatchObject({ debit: sidesOf(entry.lines).credit })
            const before = posted === undefined ? undefined : amounts(posted.flatMap(linesOf))
            posted = [
              ...(posted ?? []),
              ...readGeneric(writeGeneric({ storeKey: 'c:s', store: STORE, entries }), DAY),
            ]
            expect(amounts(posted.flatMap(linesOf))).toEqual(amounts(lines))
            if (before === undefined) onDates.set(DAY, lines)
            else if (!isDeepStrictEqual(before, amounts(lines))) {
              const elsewhere = [...onDates]
                .filter(([date]) => date !== today)
                .flatMap(([, of]) => of)
              if (!isClosed) onDates.clear()
              if (isClosed) onDates.set(today, addUp([...lines, ...elsewhere.map(negated)]))
              else onDates.set(DAY, lines)
            }
            for (const date of new Set([...onDates.keys(), ...posted.map(entry => entry.date)]))
              expect(
                amounts(posted.filter(entry => entry.date === date).flatMap(linesOf)),
                `on ${date}`,
              ).toEqual(amounts(onDates.get(date) ?? []))
          }
        },
      ),
      { numRuns: process.env['TILLAGE_LONG'] === '1' ? 5000 : 200 },
    )
  })
})

describe('a journal number', () => {
  it('is store, day and revision, in at most 21 characters', () => {
    expect(journalNumber('S1', DAY, 'R', 0)).toBe('S1-20260308-R0')
    expect(journalNumber('S1', DAY, 'X', 3)).toBe('S1-20260308-X3')
    expect(journalNumber('downtown', DAY, 'R', 10)).toBe('downtown-20260308-R10')
    expect(journalNumber('store-in-the-long-street-1', DAY, 'R', 0)).toHaveLength(21)
  })

  it('differs for two stores whose names begin alike', () => {
    expect(journalNumber('downtown-west', DAY, 'R', 0)).not.toBe(
      journalNumber('downtown-east', DAY, 'R', 0),
    )
  })
})
