import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { accountingSettings } from '../../exports/journal/check-settings.ts'
import type { JournalOrder } from '../../exports/journal/journal-order.ts'
import type { ExportResult } from '../../exports/request.ts'
import { newestManifest } from '../../exports/revisions/manifest.ts'
import { verifyTotals } from '../../exports/revisions/verify-totals.ts'
import { verifyManifest } from '../../exports/revisions/verify.ts'
import { bookDatabase, DAYS, orderOfDay, store } from '../exports/books/book-database.ts'
import { T1, T2, TIMES } from '../exports/books/worked-example.ts'
import { exportHere, filesIn, freshFolder } from '../exports/order.ts'
import { importAll, unmirrored } from './given-out.ts'
import type { Given } from './given-out.ts'

/**
 * What the last version before numbers were states of the data wrote of a day that nobody edited:
 * transactions as r0, payments as r1, the journal as r2, all in one folder, manifests of format 1.
 */
const RECORDED = JSON.parse(
  readFileSync(new URL('earlier-folder.json', import.meta.url), 'utf8'),
) as Record<string, string>

const JOURNAL: JournalOrder = {
  settings: accountingSettings.parse({ stores: { downtown: { code: 'S1' } } }),
  formats: ['generic', 'qbo'],
  storeKey: 'C1:S1',
  today: '2026-04-17',
  deadLetters: 0,
}

/** The same sales in a database of today, and the folder as it was left. */
async function takenOver() {
  const folder = freshFolder()
  const out = join(folder, 'out')
  mkdirSync(out)
  for (const [name, text] of Object.entries(RECORDED)) writeFileSync(join(out, name), text)
  const database = await bookDatabase(folder)
  const named = (id: string, name: string, category: string): object => ({
    id,
    name,
    category: { name: category, cannabis: true },
  })
  store(database, 'products', [
    named('P-FLW', 'Flower', 'Flower'),
    named('P-GUM', 'Gummies', 'Edible'),
  ])
  store(database, 'batches', [
    { id: 'B-FLW', costPerUnit: 14, modified: 1 },
    { id: 'B-GUM', costPerUnit: 8, modified: 1 },
  ])
  store(database, 'transactions', [T1, T2])
  return {
    out,
    edit: (): void =>
      store(database, 'transactions', [{ ...T2, modified: TIMES.modified + 1, status: 'Void' }]),
    export: (datasets: string[], journal?: JournalOrder): Promise<ExportResult> =>
      exportHere(orderOfDay(folder, { datasets, formats: ['csv'], ...(journal && { journal }) })),
    close: () => database.close(),
  }
}

async function problemsOf(out: string): Promise<unknown[]> {
  const { folder, name, manifest } = newestManifest(out, { store: 'downtown', days: DAYS })!
  const path = join(folder, name)
  const { problems } = verifyManifest(path)
  const known = new Set(problems.map(problem => problem.path))
  return [...problems, ...(await verifyTotals(path, manifest, known))]
}

test('a folder of the earlier numbering is verified as it is, each of its manifests', async () => {
  const { out, close } = await takenOver()
  for (const name of Object.keys(RECORDED).filter(one => one.startsWith('manifest_')))
    expect(verifyManifest(join(out, name)).problems).toEqual([])
  expect(await problemsOf(out)).toEqual([])
  const changed = join(out, 'payments_downtown_2026-03-08_r1.csv')
  writeFileSync(changed, `${readFileSync(changed, 'utf8')} `)
  expect(await problemsOf(out)).toMatchObject([{ path: changed, problem: 'another size' }])
  close()
})

test('it goes on in its own folder: unchanged data keep their number, and a real change gets the next free one', async () => {
  const { out, edit, export: exportOf, close } = await takenOver()
  const same = await exportOf(['transactions'], JOURNAL)
  expect(same).toMatchObject({ revision: 2, journal: { entries: [] } })
  expect(await problemsOf(out)).toEqual([])
  edit()
  const next = await exportOf(['payments'], JOURNAL)
  expect(next).toMatchObject({
    revision: 3,
    journal: { entries: [{ number: 'S1-20260308-X3' }, { number: 'S1-20260308-R3' }] },
  })
  expect(await problemsOf(out)).toEqual([])
  expect(filesIn(out)).toContain('payments_downtown_2026-03-08_r3.csv')
  for (const [name, text] of Object.entries(RECORDED))
    expect(readFileSync(join(out, name), 'utf8'), name).toBe(text)
  close()
})

test('what was posted in it is reversed as it was posted', async () => {
  const { out, edit, export: exportOf, close } = await takenOver()
  edit()
  await exportOf(['transactions'], JOURNAL)
  const given = [2, 3].map((revision): Given => {
    const path = `journal_qbo_downtown_2026-03-08_r${revision}.csv`
    return { path, dataset: 'journal_qbo', sha256: '', bytes: readFileSync(join(out, path)) }
  })
  const entries = importAll(given, 'qbo')
  expect(entries.map(({ number }) => number)).toEqual([
    'S1-20260308-R2',
    'S1-20260308-X3',
    'S1-20260308-R3',
  ])
  expect(unmirrored(entries)).toEqual([])
  const [first, ...rest] = entries
  const other = { ...first!, lines: first!.lines.slice(1) }
  expect(unmirrored([other, ...rest])).toEqual(['S1-20260308-X3 does not mirror what was posted'])
  close()
})
