import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { verifyManifest } from '../../exports/revisions/verify.ts'
import { sized } from '../helpers/size.ts'
import { ALL_JOURNALS, prepareDatabase, startBookkeeping, traceOf } from './bookkeeping.ts'
import type { Bookkeeping, Lived } from './bookkeeping.ts'
import { inWords } from './expected-books.ts'
import type { Books, Expected } from './expected-books.ts'
import { importAll, sumsOf, unmirrored } from './given-out.ts'
import type { Entry } from './given-out.ts'
import type { Step } from './step.ts'

const some = <T>(...all: T[]): fc.Arbitrary<T[]> => fc.subarray(all, { minLength: 1, maxLength: 3 })
const out = fc.constantFrom('exports' as const, 'exports' as const, 'elsewhere' as const)

const edits: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('edit' as const),
  sale: fc.nat(1),
  change: fc.oneof(
    fc.record({ tender: fc.constantFrom('Cash', 'Debit', 'Check') }),
    fc.record({ price: fc.constantFrom(20, 35, 50) }),
    fc.record({ isVoid: fc.boolean() }),
    fc.record({ isShort: fc.boolean() }),
    fc.constant({}),
  ) as fc.Arbitrary<Extract<Step, { kind: 'edit' }>['change']>,
})
const charts: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('chart' as const),
  chart: fc.record(
    {
      cash: fc.constantFrom('1010' as const, '1011' as const),
      text: fc.constantFrom('Till' as const, 'Drawer' as const),
      location: fc.constantFrom('A' as const, 'B' as const),
      closed: fc.boolean(),
    },
    { requiredKeys: [] },
  ),
})
const dies = fc.option(fc.nat(160), { nil: undefined, freq: 2 })
const exports: fc.Arbitrary<Lived> = fc.record({
  kind: fc.constant('export' as const),
  datasets: some('transactions', 'transaction_items', 'payments', 'raw_transactions'),
  formats: fc.constantFrom<('csv' | 'jsonl')[]>(['csv'], ['jsonl'], ['csv', 'jsonl']),
  out,
  dies,
})
const journals: fc.Arbitrary<Lived> = fc.record({
  kind: fc.constant('journal' as const),
  formats: some(...ALL_JOURNALS),
  out,
  how: fc.constantFrom('plain' as const, 'plain', 'plain', 'restate', 'reissue', 'dry run'),
  dies,
})
const others: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('delete folder' as const), out }),
  fc.constant({ kind: 'again' as const }),
  fc.constant({ kind: 'next month' as const }),
)
const lives = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: journals },
    { weight: 3, arbitrary: edits },
    { weight: 2, arbitrary: exports },
    { weight: 1, arbitrary: charts },
    { weight: 2, arbitrary: others },
  ),
  { minLength: 4, maxLength: 14 },
)

let database: string
let template: string
beforeAll(async () => {
  template = mkdtempSync(join(tmpdir(), 'tillage-bookkeeping-'))
  database = await prepareDatabase(template)
  return () => rmSync(template, { recursive: true })
})

/** What is wrong after some steps; the last of them asks for everything, of sales that tie out. */
async function live(
  steps: readonly Lived[],
  sabotage: (keeping: Bookkeeping) => void = () => {},
  later: readonly Step[] = [],
): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tillage-bookkeeping-'))
  const keeping = startBookkeeping(folder, database)
  const whole = { kind: 'journal', formats: ALL_JOURNALS, out: 'exports', how: 'plain' } as const
  const paid = [0, 1].map(sale => ({ kind: 'edit' as const, sale, change: { isShort: false } }))
  try {
    for (const step of steps) await keeping.live(step)
    sabotage(keeping)
    for (const step of [...later, ...paid, whole]) await keeping.live(step)
    return [...keeping.problems, ...problemsOf(keeping)]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Each importer's text of an account means one code. */
const codeOf = (account: string): string =>
  ({
    'Till:1010': '1010',
    'Drawer:1010': '1010',
    'Till:1011': '1011',
    'Drawer:1011': '1011',
    'Debit card clearing': '1050',
    'Check clearing': '1070',
    Inventory: '1300',
    'Revenue adult-use': '4010',
    COGS: '5010',
  })[account] ?? account.split(' ')[0]!

function problemsOf({ given, expected, home }: Bookkeeping): string[] {
  const problems: string[] = []
  for (const format of ALL_JOURNALS) {
    const entries = importAll(given, format)
    problems.push(...unmirrored(entries).map(problem => `${format}: ${problem}`))
    if (expected.books === undefined) continue
    for (const [date, has, wants] of [
      ['in all', entries, expected.books] as const,
      ...datesOf(entries, expected),
    ])
      if (inWords(sumsOf(has, codeOf)) !== inWords(wants))
        problems.push(
          `${format} ${date}: ${inWords(sumsOf(has, codeOf))}; recomputed ${inWords(wants)}`,
        )
  }
  problems.push(...otherTexts(importAll(given, 'qbo').at(-1), expected))
  for (const { path, dataset } of given)
    if (dataset === 'manifest' && !path.startsWith('/'))
      problems.push(...verifyIfThere(`${home}/${path}`))
  return problems
}

/** What was imported and what is expected on each date that either knows. */
function datesOf(entries: readonly Entry[], { onDates }: Expected): [string, Entry[], Books][] {
  const dates = new Set([...entries.map(({ date }) => date), ...onDates.keys()])
  return [...dates].map(date => [
    date,
    entries.filter(entry => entry.date === date),
    onDates.get(date) ?? new Map<string, number>(),
  ])
}

/** The newest entry calls cash and the store as the day is posted. */
function otherTexts(entry: Entry | undefined, { standing, books }: Expected): string[] {
  const wanted = standing.at(-1)
  if (entry === undefined || wanted === undefined || books!.size === 0) return []
  return entry.lines.flatMap(({ account, text }) => [
    ...(text.split('|')[2] === wanted.location ? [] : [`${entry.number}: location in ${text}`]),
    ...(codeOf(account) !== wanted.cash || account.startsWith(wanted.text)
      ? []
      : [`${entry.number}: cash is called ${account}`]),
  ])
}

function verifyIfThere(path: string): string[] {
  const { problems } = verifyManifest(path)
  return problems
    .filter(one => one.path !== path || one.problem !== 'missing')
    .map(({ problem, path: where, detail }) => `${problem}: ${where} (${detail})`)
}

const edit = (change: Extract<Step, { kind: 'edit' }>['change'], sale = 0): Step => ({
  kind: 'edit',
  sale,
  change,
})
const journal = (how: 'plain' | 'restate' | 'reissue' = 'plain'): Step => ({
  kind: 'journal',
  formats: ALL_JOURNALS,
  out: 'exports',
  how,
})
/** A file for one importer alone. */
const forOne = (
  format: (typeof ALL_JOURNALS)[number],
  how: 'plain' | 'restate' | 'reissue' = 'plain',
): Step => ({
  kind: 'journal',
  formats: [format],
  out: 'exports',
  how,
})
const nextMonth: Step = { kind: 'next month' }
const chart = (changed: Extract<Step, { kind: 'chart' }>['chart']): Step => ({
  kind: 'chart',
  chart: changed,
})
const close = chart({ closed: true })
const reopen = chart({ closed: false })
const booked = (...changes: Parameters<typeof edit>[0][]): Step[] => [
  ...changes.map(change => edit(change)),
  journal(),
]
const closedTwice = [
  journal(),
  close,
  ...booked({ price: 50 }),
  nextMonth,
  ...booked({ tender: 'Check' }),
]

/** Lives that chance seldom leads. */
const TOLD: readonly (readonly [string, readonly Step[]])[] = [
  ['a month that is reopened', [...closedTwice, reopen, ...booked({ price: 35 })]],
  [
    'a month that is reopened, closed and reopened',
    [
      ...closedTwice,
      nextMonth,
      reopen,
      ...booked({ isVoid: true }),
      close,
      ...booked({ isVoid: false }),
      reopen,
      ...booked({ price: 20 }),
    ],
  ],
  ['a reopened month of which nothing changes', [...closedTwice, reopen, journal()]],
  ['a reopened month that is restated', [...closedTwice, reopen, journal('restate')]],
  [
    'a closed day that is restated, and then reopened',
    [
      ...closedTwice,
      chart({ location: 'B' }),
      journal('restate'),
      reopen,
      nextMonth,
      ...booked({ price: 35 }),
    ],
  ],
  [
    'a corrected text for a day of which only a reversal is left',
    [
      journal(),
      edit({ isVoid: true }, 1),
      ...booked({ isVoid: true }),
      chart({ text: 'Drawer' }),
      journal('reissue'),
    ],
  ],
  [
    'a restatement after an importer had its first file of a state that posted nothing',
    [
      forOne('xero'),
      edit({}),
      forOne('netsuite'),
      chart({ cash: '1011' }),
      forOne('qbo', 'restate'),
    ],
  ],
  [
    'a corrected text of an entry that an importer has by the file of a later state',
    [forOne('xero'), chart({ location: 'B' }), edit({}), forOne('qbo'), forOne('xero', 'reissue')],
  ],
]

test.each(TOLD)('%s leaves every month right', async (_, steps) => {
  expect(await live(steps)).toEqual([])
})

test('in any sequence of events, revisions stay as given out, and importing all of them is right', async () => {
  await fc.assert(
    fc.asyncProperty(lives, async steps => {
      expect(await live(steps)).toEqual([])
    }),
    { numRuns: sized(5, 1_000) },
  )
})

const forget = ({ home }: Bookkeeping, sql: string): void => {
  inDatabase(home, sql)
  // Where the files still lie, they tell what the database has forgotten.
  rmSync(join(home, 'exports'), { recursive: true })
}

/** Each breaks one of the promises behind the back of the checks. */
const SABOTAGE: readonly [string, RegExp, (keeping: Bookkeeping) => void][] = [
  [
    'a number that is forgotten',
    /^revision 0 of state 1/,
    keeping => forget(keeping, 'DELETE FROM revisions'),
  ],
  [
    'a posting that is forgotten',
    /recomputed/,
    keeping => forget(keeping, 'DELETE FROM journal_entries; DELETE FROM journal_files'),
  ],
  [
    'a name that is forgotten',
    /^other bytes are called exports/,
    keeping => forget(keeping, 'DELETE FROM given_files'),
  ],
  [
    'a byte of a file that was given out',
    /^other bytes are called exports/,
    ({ home, given }) => appendFileSync(join(home, given.at(-1)!.path), ' '),
  ],
  [
    'a text of what was posted',
    /^qbo: S1-20260308-X2 does not mirror/,
    ({ home }) =>
      inDatabase(home, `UPDATE journal_entries SET entry = replace(entry, 'Inventory', 'Stock')`),
  ],
  [
    'a cent of what was imported',
    /^netsuite in all: .* recomputed/,
    ({ given }) => {
      const file = given.find(({ dataset }) => dataset === 'journal_netsuite')!
      file.bytes = Buffer.from(file.bytes.toString().replace('55.00', '55.01'))
    },
  ],
]

function inDatabase(home: string, sql: string): void {
  const open = new Database(join(home, 'tillage.db'))
  open.exec(sql)
  open.close()
}

const JOURNAL = {
  kind: 'journal',
  formats: ['qbo', 'netsuite'],
  out: 'exports',
  how: 'plain',
} as const
const EDIT = { kind: 'edit', sale: 0, change: { tender: 'Check' } } as const
const BEFORE = [JOURNAL, EDIT, JOURNAL]
const LATER: readonly Step[] = [
  { kind: 'export', datasets: ['payments'], formats: ['csv'], out: 'exports' },
  { ...EDIT, change: { price: 50 } },
]

test.each(SABOTAGE)('%s is found out', async (_, problem, sabotage) => {
  expect(await live(BEFORE, sabotage, LATER)).toContainEqual(expect.stringMatching(problem))
})

test('without any of that nothing is wrong', async () => {
  expect(await live(BEFORE, () => {}, LATER)).toEqual([])
})

test('what a run leaves behind is seen, so that a dry one can be known by leaving nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tillage-bookkeeping-'))
  try {
    const keeping = startBookkeeping(folder, database)
    const before = traceOf(keeping.home)
    const run = { kind: 'journal', formats: ['qbo'], out: 'exports' } as const
    await keeping.live({ ...run, how: 'dry run' })
    expect(traceOf(keeping.home)).toBe(before)
    await keeping.live({ ...run, how: 'plain' })
    expect(traceOf(keeping.home)).not.toBe(before)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
