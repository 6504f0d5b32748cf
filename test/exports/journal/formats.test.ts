import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { xeroDatesOf } from '../../../books/order-journal.ts'
import { findDesktopProblems } from '../../../exports/journal/check-settings.ts'
import { accountingSettings } from '../../../exports/journal/check-settings.ts'
import type { JournalEntry } from '../../../exports/journal/entry.ts'
import { readGeneric, writeGeneric } from '../../../exports/journal/formats/generic.ts'
import { writeIif } from '../../../exports/journal/formats/iif.ts'
import type { Journal } from '../../../exports/journal/formats/journal.ts'
import { writeNetsuite } from '../../../exports/journal/formats/netsuite.ts'
import { writeQbo } from '../../../exports/journal/formats/qbo.ts'
import { isWindows1252, toWindows1252 } from '../../../exports/journal/formats/windows-1252.ts'
import { writeXero } from '../../../exports/journal/formats/xero.ts'
import { POSTED, reversalLetter, shortNumber } from '../../../exports/journal/journal-number.ts'
import type { JournalFormat, XeroDates } from '../../../exports/journal/settings.ts'
import {
  isOfJournal,
  JOURNAL_DATASETS,
  writeFormat,
} from '../../../exports/journal/write-formats.ts'
import { sum, toAmount } from '../../../money/amount.ts'
import { readCsv } from '../../../text/read-csv.ts'
import { csvText, number } from '../../../text/write-csv.ts'
import { aLine } from './a-line.ts'
import { DAY, entry, journal, journalOf, lines } from './example-journal.ts'

const rowsOf = (text: string): string[] => text.split('\r\n').slice(0, -1)
const total = (cells: (string | undefined)[]): bigint =>
  sum(cells.map(cell => toAmount(cell) ?? 0n))

describe('the generic journal', () => {
  it('has the columns and the lines of the specification', () => {
    const rows = rowsOf(writeGeneric(journal))
    expect(rows[0]).toBe(
      'journal_id,revision,store_key,business_date,line_no,account_code,account_name,debit,credit,consumer_type,category,tender,authority,memo,source_metric,txn_count,currency',
    )
    expect(rows[1]).toBe(
      'S1-20260308-R0,0,C1:S1,2026-03-08,1,1010,Cash on hand,92.50,,,,cash,,Cash on hand - sales,tender,2,CAD',
    )
    expect(rows[11]).toBe(
      'S1-20260308-R0,0,C1:S1,2026-03-08,11,2220,Excise tax payable,,11.10,,,,excise_al,Excise tax payable,tax,3,CAD',
    )
    expect(rows).toHaveLength(18)
  })

  it('is read back as it was written', () => {
    const codeAndName = lines.map(line => ({
      ...line,
      account: { code: line.account.code, name: line.account.name },
    }))
    expect(readGeneric(writeGeneric(journal), DAY)).toEqual([{ ...entry, lines: codeAndName }])
  })

  it('knows reversals and changes of a closed day again', () => {
    const undone: JournalEntry = {
      ...entry,
      number: 'S1-20260308-X1',
      revision: 1,
      kind: 'reversal',
      lines: [aLine('1010', '-5.00'), aLine('4010', '5.00')],
    }
    const change: JournalEntry = {
      ...undone,
      number: 'S1-20260308-R1',
      kind: 'change',
      date: '2026-04-17',
    }
    const second: JournalEntry = { ...undone, number: 'S1-20260308-Y1', date: '2026-04-17' }
    expect(
      readGeneric(writeGeneric(journalOf(undone, second, change)), DAY).map(({ kind, date }) => [
        kind,
        date,
      ]),
    ).toEqual([
      ['reversal', DAY],
      ['reversal', '2026-04-17'],
      ['change', '2026-04-17'],
    ])
  })

  it('is a header alone for a day without sales', () => {
    expect(rowsOf(writeGeneric(journalOf({ ...entry, lines: [] })))).toHaveLength(1)
  })
})

describe('QuickBooks Online', () => {
  it('has exactly its columns, names of accounts, and blanks on the other side', () => {
    const rows = rowsOf(writeQbo(journal))
    expect(rows[0]).toBe(
      'JournalNo,JournalDate,AccountName,Debits,Credits,Description,Name,Location,Class',
    )
    expect(rows[11]).toBe(
      'S1-20260308-R0,03/08/2026,Tax Payable:Cannabis Excise,,11.10,"2026-03-08 Excise tax payable, 3 txns",,Store 1,',
    )
    expect(rows[4]).toBe(
      'S1-20260308-R0,03/08/2026,Revenue adult-use,,75.00,"2026-03-08 Revenue adult-use, 1 txn",,Store 1,Adult',
    )
    const cells = readCsv(writeQbo(journal))
    expect(total(cells.map(row => row['Debits']))).toBe(toAmount('176.80'))
    expect(total(cells.map(row => row['Credits']))).toBe(toAmount('176.80'))
  })
})

describe('Xero', () => {
  it('has its columns, codes, British dates and signed amounts that add up to 0', () => {
    const text = writeXero(journal)
    const rows = rowsOf(text)
    expect(rows[0]).toBe(
      '*Narration,*Date,Description,*AccountCode,*TaxRate,*Amount,TrackingName1,TrackingOption1,TrackingName2,TrackingOption2',
    )
    expect(rows[11]).toBe(
      'Daily sales S1 2026-03-08 R0,08/03/2026,"2026-03-08 Excise tax payable, 3 txns",2220-X,Tax Exempt,-11.10,Store,S1,,',
    )
    expect(total(readCsv(text).map(row => row['*Amount']))).toBe(0n)
  })

  it('puts at most 300 lines into a file, and never cuts a journal', () => {
    const long = (number: string, count: number): JournalEntry => ({
      ...entry,
      number,
      lines: Array.from({ length: count }, (_, index) =>
        aLine(String(1000 + index), index % 2 === 0 ? '1.00' : '-1.00'),
      ),
    })
    const files = writeFormat(
      'xero',
      journalOf(
        long('S1-20260308-X1', 200),
        long('S1-20260308-R1', 100),
        long('S1-20260309-R0', 2),
      ),
    ).map(({ text }) => String(text))
    expect(files.map(file => rowsOf(file).length - 1)).toEqual([300, 2])
    for (const file of files) expect(total(readCsv(file).map(row => row['*Amount']))).toBe(0n)
  })

  it('sums a journal of more than 300 lines up by account', () => {
    const many = Array.from({ length: 400 }, (_, index) =>
      aLine(String(1000 + (index % 8)), '1.00', { category: `C${index}` }),
    )
    const [file = '', ...others] = writeFormat('xero', journalOf({ ...entry, lines: many })).map(
      ({ text }) => String(text),
    )
    expect(others).toEqual([])
    expect(readCsv(file).map(row => row['*Amount'])).toEqual(
      Array.from({ length: 8 }, () => '50.00'),
    )
  })
})

describe('IIF', () => {
  const iifOf = (...entries: JournalEntry[]): string =>
    new TextDecoder('windows-1252').decode(writeIif(journalOf(...entries)))

  it('calls an account in its memo as it is booked, where its name has other letters', () => {
    const account = { code: '4000', name: '\u58F2\u4E0A', iif: 'Sales' }
    const lines = [aLine('1', '1.00', { account }), aLine('2', '-1.00')]
    const [first, second] = rowsOf(iifOf({ ...entry, lines })).slice(3)
    expect(first!.split('\t').at(-1)).toBe('2026-03-08 Sales, 1 txn')
    expect(second!.split('\t').at(-1)).toBe('2026-03-08 Account 2, 1 txn')
  })

  it('is tab-separated, one TRNS and its SPLs, and adds up to 0', () => {
    const rows = rowsOf(iifOf(entry))
    expect(rows.slice(0, 4)).toEqual([
      '!TRNS\tTRNSTYPE\tDATE\tACCNT\tCLASS\tAMOUNT\tDOCNUM\tMEMO',
      '!SPL\tTRNSTYPE\tDATE\tACCNT\tCLASS\tAMOUNT\tDOCNUM\tMEMO',
      '!ENDTRNS',
      'TRNS\tGENERAL JOURNAL\t03/08/2026\tCash on hand\t\t92.50\tS1-26308R0\t2026-03-08 Cash on hand - sales, 2 txns',
    ])
    expect(rows.slice(4, -1).every(row => row.startsWith('SPL\tGENERAL JOURNAL\t'))).toBe(true)
    expect(rows.at(-1)).toBe('ENDTRNS')
    expect(total(rows.slice(3, -1).map(row => row.split('\t')[5]))).toBe(0n)
  })

  it('has no entry for a day without sales, and no text breaks its lines', () => {
    expect(rowsOf(iifOf({ ...entry, lines: [] }))).toHaveLength(3)
    const odd = {
      ...entry,
      lines: [aLine('1', '1.00', { part: 'a\tb\r\n"c"' }), aLine('2', '-1.00')],
    }
    expect(rowsOf(iifOf(odd))[3]).toBe(
      'TRNS\tGENERAL JOURNAL\t03/08/2026\tAccount 1\t\t1.00\tS1-26308R0\t2026-03-08 Account 1 - a b   c , 1 txn',
    )
  })
})

describe('what QuickBooks Desktop reads', () => {
  it('is Windows-1252: accents and the euro are one byte, other letters their plain ones', () => {
    const text = 'Caf\u00E9 e\u0301 \u20AC \u201Cx\u201D \u2013 \u015F \u58F2'
    expect(new TextDecoder('windows-1252').decode(toWindows1252(text))).toBe(
      'Caf\u00E9 \u00E9 \u20AC \u201Cx\u201D \u2013 s _',
    )
    expect(toWindows1252('\u00E9\u20AC')).toEqual(Uint8Array.of(0xe9, 0x80))
    expect(['Caf\u00E9 \u20AC', '\u015F', '\u58F2'].map(isWindows1252)).toEqual([
      true,
      false,
      false,
    ])
  })

  it('has numbers of at most 11 characters, one for each store, day, revision, posting and reversal', () => {
    const codes = ['S1', 'S2', 'S', 'ABC', 'downtown', 'uptown', 'a-store-with-a-long-name']
    const dates = [
      '2026-03-08',
      '2026-03-18',
      '2026-10-31',
      '2026-01-31',
      '2027-03-08',
      '2026-12-08',
      '2026-02-08',
    ]
    const revisions = [0, 1, 9, 10, 11, 99, 100, 101, 360, 1035]
    const letters = [
      POSTED,
      ...Array.from({ length: 25 }, (_, place) => reversalLetter(DAY, place)),
    ]
    const numbers = codes.flatMap(code =>
      dates.flatMap(date =>
        revisions.flatMap(revision =>
          letters.map(letter => shortNumber(code, date, letter, revision)),
        ),
      ),
    )
    expect(new Set(numbers).size).toBe(numbers.length)
    expect(Math.max(...numbers.map(({ length }) => length))).toBe(11)
    expect([
      shortNumber('S1', '2026-10-31', 'X', 1),
      shortNumber('ABC', '2026-03-08', 'R', 12),
      shortNumber('downtown', '2026-03-08', 'R', 0),
    ]).toEqual(['S1-26A31X1', 'ABC26308R12', expect.stringMatching(/^[0-9A-Z]{3}26308R0$/)])
  })
})

describe('NetSuite', () => {
  it('has its columns and exact account texts', () => {
    const rows = rowsOf(writeNetsuite(journal))
    expect(rows[0]).toBe('External ID,Date,Subsidiary,Memo,Account,Debit,Credit,Location,Class')
    expect(rows[1]).toBe(
      'S1-20260308-R0,03/08/2026,Green Co,"2026-03-08 Cash on hand - sales, 2 txns",1010 Cash on hand,92.50,,Store 1,',
    )
    expect(rows[11]).toContain(',2220 Excise : Cannabis,,11.10,')
  })
})

describe('text in tables', () => {
  it('is no formula, and comes back whatever it holds', () => {
    expect(csvText(['a'], [['=1+1'], ['-x'], [number('-5.00')]])).toBe(
      "a\r\n'=1+1\r\n'-x\r\n-5.00\r\n",
    )
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.string()), { maxLength: 5 }),
        rows => {
          expect(readCsv(csvText(['a', 'b'], rows))).toEqual(rows.map(([a, b]) => ({ a, b })))
        },
      ),
    )
  })
})

describe('dates of Xero', () => {
  const dated = (xeroDates: XeroDates | undefined): string =>
    writeXero({ ...journal, store: { ...journal.store, xeroDates } }).split('\r\n')[1]!

  it('come with the day or the month first, as the organisation reads them', () => {
    expect(dated('month-first')).toContain(',03/08/2026,')
    expect(dated('day-first')).toContain(',08/03/2026,')
    // Posted before there was a choice.
    expect(dated(undefined)).toContain(',08/03/2026,')
  })

  it('follow the country of the store unless somebody says so', () => {
    const zones = ['America/Los_Angeles', 'Pacific/Honolulu', 'America/Indiana/Knox', 'US/Eastern']
    expect(zones.map(xeroDatesOf)).toEqual(zones.map(() => 'month-first'))
    const others = [
      'America/Toronto',
      'America/Puerto_Rico',
      'Australia/Sydney',
      'UTC',
      'Europe/London',
    ]
    expect(others.map(xeroDatesOf)).toEqual(others.map(() => 'day-first'))
  })
})

describe('what an importer takes of one file', () => {
  const long = (number: string, count: number, accounts = count): JournalEntry => ({
    ...entry,
    number,
    lines: Array.from({ length: count }, (_, index) =>
      aLine(String(10_000 + (index % accounts)), index % 2 === 0 ? '1.00' : '-1.00', {
        category: `C${index}`,
      }),
    ),
  })
  const filesOf = (format: JournalFormat, ...entries: JournalEntry[]): [string, number][] =>
    writeFormat(format, journalOf(...entries)).map(({ dataset, rows }) => [dataset, rows])

  it.each([
    ['qbo', 1_000],
    ['xero', 300],
    ['netsuite', 25_000],
  ] as const)('of %s is at most %i lines, cut between entries', (format, most) => {
    const name = `journal_${format}`
    expect(filesOf(format, long('A', most - 2), long('B', 2))).toEqual([[name, most]])
    expect(filesOf(format, long('A', most - 2), long('B', 4))).toEqual([
      [name, most - 2],
      [`${name}_2`, 4],
    ])
    expect(filesOf(format, long('A', most + 2, 8))).toEqual([[name, 8]])
    expect(() => filesOf(format, long('A', most + 2))).toThrow(
      `A has ${most + 2} accounts, and ${format} takes at most ${most} lines of one entry`,
    )
  })

  it('has no such limit for QuickBooks Desktop and for everybody', () => {
    expect(filesOf('iif', long('A', 1_200))).toEqual([['journal_iif', 1_200]])
    expect(filesOf('generic', long('A', 1_200))).toEqual([['daily_sales_journal', 1_200]])
  })

  it('is refused where a day would be more files than there are names for', () => {
    const many = (count: number): JournalEntry[] =>
      Array.from({ length: count }, (_, index) => long(`E${index}`, 200))
    expect(filesOf('xero', ...many(9))).toHaveLength(9)
    expect(() => filesOf('xero', ...many(10))).toThrow('would be 10 files for xero')
  })

  it('names every dataset that it may write', () => {
    const names = filesOf('qbo', ...Array.from({ length: 9 }, (_, one) => long(`E${one}`, 800)))
    for (const [dataset] of names) expect(JOURNAL_DATASETS).toContain(dataset)
    for (const [dataset] of names) expect(isOfJournal(dataset, ['qbo'])).toBe(true)
    expect(isOfJournal('journal_qbo_2', ['xero'])).toBe(false)
  })

  it('is a number that QuickBooks Desktop has room for, or an error', () => {
    expect(shortNumber('S1', DAY, 'R', 1_035)).toHaveLength(11)
    expect(() => shortNumber('S1', DAY, 'R', 1_036)).toThrow('no room for a number')
  })

  it('is a name that QuickBooks Desktop does not cut off, or a problem of the configuration', () => {
    const named = (name: string): string[] =>
      findDesktopProblems(accountingSettings.parse({ accounts: { cash: { code: '1', name } } }), [
        'downtown',
      ])
    expect(named(`${'a'.repeat(31)}:${'b'.repeat(31)}`)).toEqual([])
    expect(named(`Bank:${'b'.repeat(32)}`)).toEqual([
      expect.stringContaining('accounting.accounts.cash has a name of more than 31 characters'),
    ])
  })
})

it('an amount that NetSuite has no room for is refused with its account, before anything is written', () => {
  const [first, ...rest] = entry.lines
  const large = (amount: bigint): Journal =>
    journalOf({ ...entry, lines: [{ ...first!, amount }, ...rest] })
  expect(() => writeNetsuite(large(10n ** 22n))).toThrow(/more than 10 digits on \d+/)
  expect(() => writeNetsuite(large(10n ** 22n - 10n ** 10n))).not.toThrow()
})
