import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dayOf } from '../../calendar/clock.ts'
import { addDays, DAY_MS, toIso } from '../../calendar/days.ts'
import { serveConsole } from '../../commands/console/serve-console.ts'
import type { ServedConsole } from '../../commands/console/serve-console.ts'
import type { WorkerStanding } from '../../commands/status/worker-is-up.ts'
import { loadConfig } from '../../config.ts'
import { openDestination } from '../../connectors/database.ts'
import { CORE, startProject, storesOf } from '../helpers/project.ts'
import type { Project } from '../helpers/project.ts'
import { enter } from './console.ts'
import type { Visitor } from './console.ts'
import { countStatements } from './statements.ts'

const DAY = '2026-03-05'
const READ = ['--from', '2026-03-04', '--to', '2026-03-09'] as const
/** Who knows how it stands does not ask for it, beside what is counted. */
const worker: WorkerStanding = { isUp: true, stranded: [] }
const WORKER = () => worker
const PAGES = [
  '/',
  '/coverage?store=downtown&from=2026-03-03&to=2026-03-14',
  `/coverage/downtown/transactions/${DAY}`,
  '/books?month=2026-03',
  `/books/downtown/${DAY}`,
  '/plans',
  '/compliance',
  '/problems',
  '/runs',
  '/connections',
]

let project: Project
let close: () => Promise<void>
let served: ServedConsole
let visitor: Visitor

beforeAll(async () => {
  const data = { seed: 5, days: 5, until: '2026-03-09', transactionsPerDay: 12 }
  const scene = await startProject(data)
  ;({ project, close } = scene)
  project.configure(storesOf(scene.sandbox))
  expect((await project.run('sync', ...CORE, ...READ)).status).toBe(0)
  expect((await project.run('journal', '--date', DAY)).status).toBe(0)
  expect((await project.run('audit', 'snapshot', '--store', 'downtown')).status).toBe(0)
  served = await serveConsole(loadConfig(join(project.folder, 'tillage.yaml')), {
    program: 'cli.ts',
    worker: WORKER,
  })
  visitor = await enter(served)
})

afterAll(async () => {
  await served.close()
  await close()
})

describe.each(PAGES)('the page %s', path => {
  it('is whole without a script: one heading, a first sentence, as of when', async () => {
    const { status, text } = await visitor.get(path)
    expect(status).toBe(200)
    expect(text.match(/<h1>/g)).toHaveLength(1)
    expect(text).toMatch(/<p class="lead">[^<]+[.!]<\/p>/)
    expect(text).toMatch(/As of \d{4}-\d\d-\d\d \d\d:\d\d \(/)
    expect(text.length).toBeLessThan(100_000)
  })
})

it('says what is not there with 404, and where nobody signed in leads to the sign-in', async () => {
  for (const path of ['/coverage/nowhere/transactions/2026-03-05', '/plans/PL-none', '/books/x/y'])
    expect((await visitor.get(path)).status, path).toBe(404)
  const answer = await fetch(`${served.url}/books`, { redirect: 'manual' })
  expect(answer.status).toBe(303)
  expect(answer.headers.get('location')).toBe('/sign-in?to=%2Fbooks')
})

it('gives the rows of a table as the command has them', async () => {
  const csv = await visitor.get('/books?month=2026-03&format=csv')
  expect(csv.headers.get('content-type')).toContain('text/csv')
  const { stdout } = await project.run('books', '--month', '2026-03', '--json')
  const { stores } = JSON.parse(stdout) as {
    stores: { store: string; days: { day: string; state: string }[] }[]
  }
  const rows = csv.text.trim().split(/\r?\n/).slice(1)
  expect(rows.map(row => row.split(',').slice(0, 3).join(' '))).toEqual(
    stores.flatMap(({ store, days }) => days.map(({ day, state }) => `${store} ${day} ${state}`)),
  )
})

it('shows the books of one store, and leads from day to day', async () => {
  const one = await visitor.get('/books?month=2026-03&store=harbor')
  expect(one.text).toContain('/books/harbor/2026-03-05')
  expect(one.text).not.toContain('/books/downtown/')
  expect(one.text).toContain('tillage books 2026-03 --store harbor')
  const { text } = await visitor.get(`/books/downtown/${DAY}`)
  for (const day of ['2026-03-04', '2026-03-06'])
    expect(text).toContain(`href="/books/downtown/${day}"`)
  expect(text).toContain('href="/books?month=2026-03&amp;store=downtown"')
})

it('says what an action does before its fields, and what is still to be typed', async () => {
  const { text } = await visitor.get('/compliance')
  const form = /<form\s+class="act"[^]*?<\/form>/.exec(text)![0]
  expect(form.indexOf('Takes down the stock')).toBeLessThan(form.indexOf('name="store"'))
  expect(form).toContain('tillage audit snapshot --store STORE')
})

it('shows a window with the evidence that coverage prints', async () => {
  const { text } = await visitor.get(`/coverage/downtown/transactions/${DAY}`)
  expect(text).toContain('one pass, total and seams')
  const never = await visitor.get('/coverage/downtown/transactions/2026-03-20')
  expect(never.text).toContain('never read')
  expect(never.text).not.toContain('one pass, total and seams')
})

it('shows as many rows of each part as coverage prints, and in all as many as there are', async () => {
  const list = 'store=downtown&stream=transactions&from=2026-02-25&to=2026-03-20'
  const { text } = await visitor.get(`/coverage?${list}&format=csv&table=windows`)
  const shown = [...text.matchAll(/,✓? ?(?:proven|stale),(\d+),/g)].map(([, rows]) => Number(rows))
  const days = ['--store', 'downtown', '--from', '2026-02-25', '--to', '2026-03-21']
  const { stdout } = await project.run('coverage', 'transactions', ...days)
  const printed = [...stdout.matchAll(/ (?:proven|stale) +(\d+) /g)].map(([, rows]) => Number(rows))
  expect(shown).toEqual(printed)
  const [[all]] = project.query(
    `SELECT count(DISTINCT id) FROM transactions t
       JOIN windows w ON w.stream = 'transactions' AND w.store_id = t.store_id
         AND t.modified >= unixepoch(window_start) * 1000 AND t.modified < unixepoch(window_end) * 1000
       WHERE t.store_id = 'downtown' AND t.deleted_at IS NULL`,
  ) as [[number]]
  expect(shown.reduce((sum, rows) => sum + rows, 0)).toBe(all)
})

it('says of a day that is not over no more than that', async () => {
  const today = dayOf(Date.now(), 'America/Los_Angeles')
  const { text } = await visitor.get(`/coverage/downtown/transactions/${today}`)
  expect(text).toMatch(/<p class="lead">[^<]*: not over yet/)
  const past = await visitor.get('/coverage/downtown/transactions/2026-01-01')
  expect(past.text).toMatch(/<p class="lead">[^<]*: never read/)
})

it.each([
  ['/plans?store=nope', 404, 'There is no store &quot;nope&quot;.'],
  ['/coverage?store=nope', 404, 'Stores are: downtown'],
  ['/coverage?stream=sales', 404, 'There is no list &quot;sales&quot;.'],
  ['/coverage?from=2026-02-30', 400, 'from is &quot;2026-02-30&quot;.'],
  ['/books?month=March', 400, 'A month is yyyy-MM.'],
  ['/coverage?from=2026-01-01&to=2026-03-05', 200, 'at most 31 days'],
  ['/coverage?from=2026-03-05&to=2026-03-03', 200, 'from 2026-03-03 to 2026-03-05'],
])('never shows another thing than an address names: %s', async (path, status, says) => {
  const page = await visitor.get(path)
  expect([page.status, page.text.includes(says)]).toEqual([status, true])
})

it('calls no day proven that is still to come, nor what lies before the first that was read', async () => {
  const { text } = await visitor.get('/coverage?store=downtown&from=2099-01-01&to=2099-01-03')
  expect(text).toMatch(/<p class="lead">No day of downtown from 2099-01-01 [^<]* is over yet/)
  const before = await visitor.get('/coverage/downtown/transactions/2019-01-05')
  expect(before.text).toMatch(/<p class="lead">[^<]* on 2019-01-05: never read\.<\/p>/)
})

it('shows nobody who buys: neither name nor address nor number of a member', async () => {
  const people = project.query(
    `SELECT first_name || ' ' || last_name, email, primary_phone FROM members
       WHERE email <> '' AND primary_phone <> ''`,
  ) as string[][]
  expect(people.length).toBeGreaterThan(100)
  const pages = PAGES.flatMap(path => [path, `${path}${path.includes('?') ? '&' : '?'}format=csv`])
  for (const path of pages) {
    const { text } = await visitor.get(path)
    expect(
      people.flat().filter(word => text.includes(word)),
      path,
    ).toEqual([])
  }
})

it('a list that is not proven leads to its windows, and only that list is read again', async () => {
  const ofSales = "WHERE store_id = 'downtown' AND stream = 'transactions'"
  await project.change([`UPDATE windows SET status = 'unproven' ${ofSales}`])
  const { text } = await visitor.get('/problems/unproven')
  expect(text).toContain('href="/coverage?store=downtown&amp;stream=transactions"')
  expect(text).toMatch(/tillage sync transactions --store downtown --from [^<]* --again/)
  await project.change([`UPDATE windows SET status = 'proven' ${ofSales}`])
  expect((await visitor.get('/problems/unproven')).status).toBe(404)
})

describe('the statements of a page', () => {
  const asked = async (path: string, { stores = 2, times = 1 } = {}) => {
    const config = loadConfig(join(project.folder, 'tillage.yaml'))
    const some = { ...config, stores: config.stores.slice(0, stores) }
    const other = await serveConsole(some, { program: 'cli.ts', worker: WORKER })
    const person = await enter(other)
    const count = await countStatements(async () => {
      for (let time = 0; time < times; time++) await person.get(path)
    })
    await other.close()
    return count
  }
  const paths = ['/', '/books?month=2026-03', '/problems', '/compliance']

  it('are as many with more days in the books, and a store takes at most twenty', async () => {
    const before: number[] = []
    for (const path of paths) before.push(await asked(path))
    for (const day of ['2026-03-06', '2026-03-07'])
      expect((await project.run('journal', '--date', day)).status).toBe(0)
    for (const [at, path] of paths.entries()) {
      expect(await asked(path), path).toBe(before[at])
      expect(before[at]! - (await asked(path, { stores: 1 })), path).toBeLessThanOrEqual(20)
    }
  })

  it('are as many for a longer range of coverage', async () => {
    const from = (day: string) => `/coverage?store=downtown&from=${day}&to=2026-03-12`
    expect(await asked(from('2026-03-04'))).toBe(await asked(from('2026-03-12')))
  })

  it('are counted each time that one is run', async () => {
    const [once, twice, thrice] = [
      await asked('/compliance'),
      await asked('/compliance', { times: 2 }),
      await asked('/compliance', { times: 3 }),
    ]
    // The first opens the database, too.
    expect(once).toBeGreaterThan(twice - once)
    expect(twice - once).toBeGreaterThan(0)
    expect(thrice - twice).toBe(twice - once)
  })
})

describe('the first sentence of the runs', () => {
  const NIGHT = { kind: 'nightly', store: 'downtown' } as const
  const since = toIso(Date.now() - DAY_MS)
  const lead = async (): Promise<string> =>
    /<p class="lead">([^<]+)</.exec((await visitor.get('/runs')).text)![1]!

  it('follows what status and notices follow: a night that is under way, waits, or may be late', async () => {
    const config = loadConfig(join(project.folder, 'tillage.yaml'))
    await using destination = await openDestination(config, [])
    const facts = { every: 'daily', at: '00:00', timeZone: 'UTC' }
    const paused = { pausedAt: undefined, note: undefined }
    await destination.schedules.keep({ id: 'nightly/downtown', ...NIGHT, facts, since, ...paused })
    const day = addDays(dayOf(Date.now(), 'UTC'), -1)
    const now = { dueAt: since, deadlineAt: undefined, startedAt: toIso(Date.now()) }
    await destination.runs.begin({ ...NIGHT, day, ...now })
    expect(await lead()).toBe('Everything that was due has happened; 1 run under way.')
    worker.missingRoles = ['export']
    expect(await lead()).toBe(`1 run may be late: nightly/downtown, ${day}; 1 run under way.`)
    delete worker.missingRoles
    await destination.runs.note(
      { ...NIGHT, day },
      { at: new Date().toISOString(), detail: 'PARTNER_KEYS: refused' },
    )
    expect(await lead()).toBe(
      `1 run cannot end without somebody: nightly/downtown, ${day}; 1 run under way.`,
    )
  })
})
