import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { accountingSettings } from '../../../exports/journal/check-settings.ts'
import type { JournalOrder } from '../../../exports/journal/journal-order.ts'
import type { JournalOutcome } from '../../../exports/journal/journal-outcome.ts'
import { prepareJournal } from '../../../exports/journal/prepare-journal.ts'
import { JOURNAL_FORMATS } from '../../../exports/journal/settings.ts'
import { decideRevision } from '../../../exports/revisions/decide-revision.ts'
import { folderOf, newestManifest } from '../../../exports/revisions/manifest.ts'
import { isPresent, publishRevision } from '../../../exports/revisions/publish.ts'
import { verifyTotals } from '../../../exports/revisions/verify-totals.ts'
import { readSale } from '../../../exports/sales/read-sale.ts'
import { CENT } from '../../../money/amount.ts'
import { readCsv } from '../../../text/read-csv.ts'
import { historyAt } from '../history-at.ts'
import { T1, T2, T3 } from '../sales/worked-example.ts'
import { byCategory, facts, manyLines } from './many-categories.ts'

const DAY = '2026-03-08'
const DAYS = { from: DAY, to: '2026-03-09' }
let out: string
beforeEach(() => {
  out = mkdtempSync(join(tmpdir(), 'tillage-journal-'))
  new Database(join(out, 'memory.db')).exec('PRAGMA journal_mode = WAL').close()
  onTestFinished(() => rmSync(out, { recursive: true, force: true }))
})

/** Makes and publishes the journal of S1 as an export does. */
async function publish(
  wires: readonly unknown[],
  changes: Partial<JournalOrder> = {},
): Promise<JournalOutcome> {
  const workFolder = join(out, '.work')
  mkdirSync(workFolder, { recursive: true })
  const range = { store: 'S1', days: DAYS }
  const newest = newestManifest(out, range)
  const folder = folderOf(out, range)
  const history = await historyAt(join(out, 'memory.db'))
  const state = JSON.stringify(wires)
  const last = await history.newestState(range, 'transactions')
  const revision = last === undefined ? 0 : last.revision + (last.state === state ? 0 : 1)
  const order: JournalOrder = {
    settings: accountingSettings.parse({}),
    formats: ['generic', 'qbo'],
    storeKey: 'C1:S1',
    currency: 'USD',
    today: '2026-04-17',
    deadLetters: 0,
    ...changes,
  }
  const draft = await prepareJournal(
    wires.map(wire => readSale(JSON.stringify(wire), facts)),
    order,
    { store: 'S1', businessDate: DAY, workFolder, newest, history, revision },
  )
  await history.rememberState(range, 'transactions', { revision: draft.revision, state })
  if (draft.posting !== undefined) await history.post('S1', DAY, draft.posting)
  const header = {
    tool: 'test',
    writer: 'none',
    store: 'S1',
    days: DAYS,
    range: { start: '', end: '' },
    people: false,
    proof: null,
  }
  await publishRevision(
    workFolder,
    decideRevision(
      { header, states: [{ stream: 'transactions', revision: draft.revision, state }], ...draft },
      { folder, newest, present: file => isPresent(folder, file), given: new Map() },
    ),
    { give: async () => {}, withdraw: async () => {} },
  )
  rmSync(workFolder, { recursive: true })
  await history.close()
  return draft.outcome
}

const inDay = (name: string): string => join(out, 'S1', DAY, name)
const files = (): string[] => readdirSync(inDay('')).sort()
const read = (name: string): string => readFileSync(inDay(name), 'utf8')
const numbersIn = (name: string): string[] => [
  ...new Set(
    read(name)
      .split('\r\n')
      .slice(1, -1)
      .map(row => row.split(',')[0] ?? ''),
  ),
]
const edited = { ...T1, payments: [{ paymentOption: 'Credit', paidAmount: 87.5 }] }

describe('published journals', () => {
  it('stay as they are when the same day is booked again', async () => {
    expect((await publish([T1, T2, T3])).entries).toEqual([
      { number: 'S1-20260308-R0', kind: 'posting', date: DAY, debit: '176.80', credit: '176.80' },
    ])
    const before = files().map(name => [name, read(name)])
    expect((await publish([T1, T2, T3], { today: '2026-05-01' })).entries).toEqual([])
    expect(files().map(name => [name, read(name)])).toEqual(before)
  })

  it('are reversed and posted again in an open period, and leave the first revision alone', async () => {
    await publish([T1, T2, T3])
    const first = read(`journal_qbo_S1_${DAY}_r0.csv`)
    expect(
      (await publish([edited, T2, T3])).entries.map(({ number, date }) => [number, date]),
    ).toEqual([
      ['S1-20260308-X1', DAY],
      ['S1-20260308-R1', DAY],
    ])
    expect(numbersIn(`journal_qbo_S1_${DAY}_r1.csv`)).toEqual(['S1-20260308-X1', 'S1-20260308-R1'])
    expect(read(`journal_qbo_S1_${DAY}_r0.csv`)).toBe(first)
    expect((await publish([edited, T2, T3])).entries).toEqual([])
  })

  it('are changed by the difference, on the day of the run, in a closed period, once', async () => {
    const settings = accountingSettings.parse({ periodClosedThrough: '2026-03-31' })
    await publish([T1, T2, T3], { settings })
    expect((await publish([edited, T2, T3], { settings })).entries).toEqual([
      {
        number: 'S1-20260308-R1',
        kind: 'change',
        date: '2026-04-17',
        debit: '87.50',
        credit: '87.50',
      },
    ])
    expect((await publish([edited, T2, T3], { settings, today: '2026-04-18' })).entries).toEqual([])
  })

  it('count transactions so that all entries of a day add up, and name no count beside a change', async () => {
    const settings = accountingSettings.parse({ periodClosedThrough: '2026-03-31' })
    await publish([T1, T2, T3])
    await publish([edited, T2, T3])
    await publish([edited, T3], { settings })
    const cogs = [0, 1, 2].flatMap(revision =>
      readCsv(read(`daily_sales_journal_S1_${DAY}_r${revision}.csv`))
        .filter(row => row['account_code'] === '5010')
        .map(row => Number(row['txn_count'])),
    )
    expect(cogs).toEqual([3, -3, 3, -1])
    expect(read(`journal_qbo_S1_${DAY}_r1.csv`)).toContain('reversal of COGS, 3 txns')
    expect(read(`journal_qbo_S1_${DAY}_r2.csv`)).toContain(`${DAY} change of COGS,`)
  })

  it('get a format that is asked for later from what was posted', async () => {
    await publish([T1, T2, T3])
    expect((await publish([T1, T2, T3], { formats: ['iif'] })).entries).toEqual([])
    expect(read(`journal_iif_S1_${DAY}_r0.iif`)).toContain('S1-26308R0')
    expect(
      newestManifest(out, { store: 'S1', days: DAYS })?.manifest.files.map(({ path }) => path),
    ).toContain(`journal_qbo_S1_${DAY}_r0.csv`)
  })

  it('in a format first asked for after a revision hold everything posted so far', async () => {
    await publish([T1, T2, T3])
    await publish([edited, T2, T3])
    await publish([edited, T2, T3], { formats: ['iif'] })
    const iif = read(`journal_iif_S1_${DAY}_r1.iif`)
    expect(
      ['S1-26308R0', 'S1-26308X1', 'S1-26308R1'].filter(number => !iif.includes(number)),
    ).toEqual([])
    await publish([edited, T2], { formats: ['netsuite'] })
    expect(numbersIn(`journal_netsuite_S1_${DAY}_r2.csv`)).toEqual([
      'S1-20260308-R0',
      'S1-20260308-X1',
      'S1-20260308-R1',
      'S1-20260308-X2',
      'S1-20260308-R2',
    ])
    expect(numbersIn(`journal_qbo_S1_${DAY}_r2.csv`)).toEqual(['S1-20260308-X2', 'S1-20260308-R2'])
  })

  it('in more than one file are complete: a lost file is written again, and no change is listed', async () => {
    const order = { settings: accountingSettings.parse({ byCategory }), formats: ['xero'] as const }
    await publish([manyLines(40)], { ...order, formats: ['generic'] })
    await publish([manyLines(41)], order)
    const listed = (): string[] =>
      newestManifest(out, { store: 'S1', days: DAYS })!
        .manifest.files.map(({ path }) => path)
        .filter(path => path.startsWith('journal_xero'))
    const second = `journal_xero_2_S1_${DAY}_r1.csv`
    expect(listed()).toEqual([`journal_xero_S1_${DAY}_r1.csv`, second])
    const before = read(second)
    rmSync(inDay(second))
    await publish([manyLines(41)], order)
    expect(read(second)).toBe(before)
    await publish([T1], order)
    expect(listed()).toEqual([`journal_xero_S1_${DAY}_r2.csv`])
    const { datasets } = newestManifest(out, { store: 'S1', days: DAYS })!.manifest
    expect(datasets.map(({ dataset }) => dataset)).not.toContain('journal_xero_2')
  })

  it('are added up again by verify, in each format by its own columns', async () => {
    await publish([T1, T2, T3], { formats: JOURNAL_FORMATS })
    const { manifest } = newestManifest(out, { store: 'S1', days: DAYS })!
    const path = inDay(`manifest_S1_${DAY}_r0.json`)
    expect(await verifyTotals(path, manifest, new Set())).toEqual([])
    const lying = {
      ...manifest,
      datasets: manifest.datasets.map(one => ({
        ...one,
        rows: one.dataset === 'exceptions' ? 1 : one.rows,
        sums: Object.fromEntries(Object.keys(one.sums).map(name => [name, '1.00'])),
      })),
    }
    expect((await verifyTotals(path, lying, new Set())).map(({ detail }) => detail)).toEqual([
      '0 rows, the manifest says 1',
      'debit adds up to 176.80, the manifest says 1.00',
      'Debits adds up to 176.80, the manifest says 1.00',
      '*Amount adds up to 0.00, the manifest says 1.00',
      'Debit adds up to 176.80, the manifest says 1.00',
    ])
  })

  it('are not there where the day does not tie out, but the reasons are', async () => {
    expect(await publish([{ ...T1, payments: [] }])).toMatchObject({ held: true, entries: [] })
    expect(files()).toEqual([
      `exceptions_S1_${DAY}_r0.csv`,
      `manifest_S1_${DAY}_r0.json`,
      `tieout_S1_${DAY}_r0.csv`,
    ])
  })

  it('keep what somebody put into suspense, and hold back a new difference', async () => {
    expect(
      await publish([{ ...T1, payments: [] }], { suspenseReason: 'counted again' }),
    ).toMatchObject({
      held: false,
    })
    expect(await publish([{ ...T1, payments: [] }])).toMatchObject({ held: false, entries: [] })
    expect(
      await publish([
        { ...T1, payments: [] },
        { ...T2, payments: [] },
      ]),
    ).toMatchObject({ held: true })
  })

  it('remember what was accepted where nothing was left to book, and hold back what is another difference', async () => {
    // Its lines are not what the cart says they add up to, and yet both sides of its postings meet.
    const odd = { ...T1, cart: { ...(T1['cart'] as object), subTotal: 71 } }
    const first = await publish([odd], { suspenseReason: 'as the till says' })
    expect(first).toMatchObject({
      held: false,
      exceptions: [
        { code: 'TIE_OUT' },
        { code: 'SUSPENSE', detail: '0.00 on 9999: as the till says' },
      ],
    })
    const before = files()
    expect(await publish([odd])).toMatchObject({ held: false, entries: [] })
    expect(files()).toEqual(before)
    expect(await publish([odd, { ...T2, payments: [] }])).toMatchObject({ held: true })
    expect(await publish([odd])).toMatchObject({ held: false })
    expect(await publish([odd], { closing: new Map([['tips', CENT]]) })).toMatchObject({
      held: true,
    })
  })

  it('are posted today where the day was given out as empty and its period is closed', async () => {
    await publish([])
    const settings = accountingSettings.parse({ periodClosedThrough: '2026-03-31' })
    expect((await publish([T1], { settings })).entries).toMatchObject([
      { kind: 'change', date: '2026-04-17' },
    ])
  })

  it('are an empty file for a day without sales, until there is one', async () => {
    await publish([])
    expect(read(`daily_sales_journal_S1_${DAY}_r0.csv`).split('\r\n')).toHaveLength(2)
    await publish([])
    expect(files().filter(name => name.startsWith('manifest'))).toHaveLength(1)
    expect((await publish([T1])).entries.map(({ number }) => number)).toEqual(['S1-20260308-R1'])
  })

  it('of a day without sales are read back from the folder by a database that knows nothing of them', async () => {
    await publish([])
    const before = files()
    rmSync(join(out, 'memory.db'))
    new Database(join(out, 'memory.db')).exec('PRAGMA journal_mode = WAL').close()
    expect(await publish([])).toMatchObject({ entries: [], chartDifferences: [] })
    expect(files()).toEqual(before)
  })

  it('that were posted after a backup are taken from the folder when the database came back from it', async () => {
    const [memory, backup] = [join(out, 'memory.db'), join(out, 'backup.db')]
    await publish([T1, T2, T3])
    copyFileSync(memory, backup)
    await publish([edited, T2, T3])
    const before = files()
    rmSync(memory)
    copyFileSync(backup, memory)
    // The same change once more: it was posted.
    expect(await publish([edited, T2, T3])).toMatchObject({ entries: [] })
    expect(files()).toEqual(before)
    rmSync(memory)
    copyFileSync(backup, memory)
    await publish([edited, T2, T3])
    await publish([edited, T2])
    const inFile = (revision: number, letter: string, sides: readonly string[]): string[] =>
      readCsv(read(`daily_sales_journal_S1_${DAY}_r${revision}.csv`))
        .filter(row => row['journal_id'] === `S1-20260308-${letter}${revision}`)
        .map(row => [row['account_code'], ...sides.map(side => row[side])].join(' '))
    expect(inFile(1, 'R', ['debit', 'credit'])).not.toEqual([])
    expect(inFile(2, 'X', ['credit', 'debit'])).toEqual(inFile(1, 'R', ['debit', 'credit']))
  })

  it('are remembered where the folder is gone, and given out again letter for letter', async () => {
    await publish([T1, T2, T3])
    await publish([edited, T2, T3])
    const [qbo, generic] = [`journal_qbo_S1_${DAY}_r1.csv`, `daily_sales_journal_S1_${DAY}_r0.csv`]
    const before = [read(qbo), read(generic)]
    rmSync(join(out, 'S1'), { recursive: true })
    expect((await publish([edited, T2, T3])).entries).toEqual([])
    expect([read(qbo), read(generic)]).toEqual(before)
    const { folder, name, manifest } = newestManifest(out, { store: 'S1', days: DAYS })!
    expect(await verifyTotals(join(folder, name), manifest, new Set())).toEqual([])
  })

  it('are reversed by the very texts that were posted, whatever the chart says now', async () => {
    const named = (cash: object, location: string) =>
      accountingSettings.parse({ accounts: { cash }, stores: { S1: { location } } })
    await publish([T1, T2, T3], {
      settings: named({ code: '1010', name: 'Till', qbo: 'Old:Till' }, 'A'),
    })
    const posted = readCsv(read(`journal_qbo_S1_${DAY}_r0.csv`))
    const settings = named({ code: '1010', name: 'Drawer', qbo: 'New:Drawer' }, 'B')
    await publish([edited, T2, T3], { settings })
    const undone = readCsv(read(`journal_qbo_S1_${DAY}_r1.csv`)).filter(
      row => row['JournalNo'] === 'S1-20260308-X1',
    )
    expect(
      undone.map(row => [row['AccountName'], row['Location'], row['Credits'], row['Debits']]),
    ).toEqual(
      posted.map(row => [row['AccountName'], row['Location'], row['Debits'], row['Credits']]),
    )
  })

  it('ask where only the chart changed, until somebody restates the day', async () => {
    await publish([T1, T2, T3])
    const before = files()
    const settings = accountingSettings.parse({ byCategory: {}, accounts: { cash: '1011 Safe' } })
    const asked = await publish([T1, T2, T3], { settings })
    expect(asked.entries).toEqual([])
    expect(asked.chartDifferences).toEqual([
      { account: '1010 Cash on hand', amount: '-70.63' },
      { account: '1011 Safe', amount: '70.63' },
    ])
    expect(files()).toEqual(before)
    const restated = await publish([T1, T2, T3], { settings, restateReason: 'a safe of its own' })
    expect(restated.entries.map(({ number }) => number)).toEqual([
      'S1-20260308-X1',
      'S1-20260308-R1',
    ])
    expect((await publish([T1, T2, T3], { settings })).entries).toEqual([])
  })

  it('are written again with a corrected text where somebody says that nothing was imported', async () => {
    await publish([T1, T2, T3])
    const first = read(`journal_qbo_S1_${DAY}_r0.csv`)
    const settings = accountingSettings.parse({
      accounts: { cash: { code: '1010', name: 'Cash on hand', qbo: 'Cash:Till' } },
    })
    await publish([T1, T2, T3], { settings, reissuedBy: 'Ana' })
    expect(read(`journal_qbo_S1_${DAY}_r0.csv`)).toBe(first)
    expect(read(`journal_qbo_S1_${DAY}_r0-2.csv`)).toContain('S1-20260308-R0,03/08/2026,Cash:Till')
  })
})
