import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { SHEET_COLUMNS } from '../../audit/count-sheet.ts'
import { serveConsole } from '../../commands/console/serve-console.ts'
import type { ServedConsole } from '../../commands/console/serve-console.ts'
import { loadConfig } from '../../config.ts'
import { hashPassword } from '../../console/password-hash.ts'
import type { Sandbox } from '../../sandbox/server.ts'
import { readCsv } from '../../text/read-csv.ts'
import { csvText } from '../../text/write-csv.ts'
import { ANY_PORT } from '../helpers/any-port.ts'
import { openBrowser, openPage } from '../helpers/browser.ts'
import { PROGRAM } from '../helpers/program.ts'
import { control, CORE, startProject, storesOf } from '../helpers/project.ts'
import type { Project } from '../helpers/project.ts'

export const PASSWORD = 'four short plain words'
/** A day with a journal, and with a late edit that has made a revision of it. */
export const DAY = '2026-03-05'

export const PEOPLE = {
  Ann: 'accountant',
  Cora: 'compliance',
  Carl: 'compliance',
  Olga: 'operator',
  Vic: 'viewer',
  Ada: 'admin',
} as const
export type Name = keyof typeof PEOPLE

/** Few days and sales: no page is made otherwise for more rows of a kind. */
const DATA = { seed: 5, days: 4, until: '2026-03-08', transactionsPerDay: 12 }
const READ = ['--from', '2026-03-04', '--to', '2026-03-08'] as const

/** Two stores with everything that a page can show, a console with users, and browsers. */
export interface FullScene {
  project: Project
  sandbox: Sandbox
  served: ServedConsole
  browser: Browser
  audit: string
  /** Plans: of counts, that needs two people, and of vendors. */
  counts: string
  push: string
  /** A sheet of the audit with counts in it, as `change` has its rows. */
  countsFile(name: string, change: ChangeRow): string
  /** A page of somebody who has signed in. */
  signedIn(name: Name, options?: Parameters<Browser['newContext']>[0]): Promise<Page>
  close(): Promise<void>
}

type ChangeRow = (row: Record<string, string>, at: number) => Record<string, string>

export async function startFullScene(): Promise<FullScene> {
  const { project, sandbox, close } = await startProject(DATA)
  const password = await hashPassword(PASSWORD)
  const users = Object.entries(PEOPLE).map(([name, role]) => ({ name, role, password }))
  const approvers = [
    { name: 'Cora', role: 'lead' },
    { name: 'Carl', role: 'manager' },
  ]
  project.configure(storesOf(sandbox), {
    console: { ...ANY_PORT, users },
    reconcile: { approvers, secondApproverOver: '0.01', patienceSeconds: 2 },
  })
  await fillBooks(project, sandbox)
  const { audit, sheet } = await takeStock(project)
  const countsFile = (name: string, change: ChangeRow): string =>
    writeCounts(join(project.folder, name), sheet, change)
  countsFile('counts.csv', oneShort)
  await project.run('audit', 'report', audit, '--counts', 'counts.csv')
  const counts = idIn(await project.run('reconcile', 'plan', 'counts.csv'))
  writeFileSync(join(project.folder, 'vendors.csv'), 'external_id,name\nV-NEW,New Vendor\n')
  const push = idIn(await project.run('push', 'plan', 'vendors', 'vendors.csv'))
  const served = await serveConsole(loadConfig(join(project.folder, 'tillage.yaml')), {
    program: PROGRAM,
    worker: () => ({ isUp: true, stranded: [] }),
  })
  const browser = await openBrowser()
  const kept = new Map<Name, string>()
  return {
    project,
    sandbox,
    served,
    browser,
    audit,
    counts,
    push,
    countsFile,
    async signedIn(name, options = {}) {
      const page = await openPage(browser, options)
      kept.set(name, kept.get(name) ?? (await signIn(served, name)))
      await page
        .context()
        .addCookies([{ name: 'tillage_session', value: kept.get(name)!, url: served.url }])
      return page
    },
    async close() {
      await browser.close()
      await served.close()
      await close()
    },
  }
}

/** A password costs a tenth of a second; browsers share what it gave. */
async function signIn({ url }: ServedConsole, name: Name): Promise<string> {
  const body = new URLSearchParams({ name, password: PASSWORD })
  const answer = await fetch(`${url}/sign-in`, { method: 'POST', body, redirect: 'manual' })
  return /tillage_session=([\w-]+)/.exec(answer.headers.get('set-cookie')!)![1]!
}

/** Reads the days and books one; then a sale of it becomes void, and it is booked once more. */
async function fillBooks(project: Project, sandbox: Sandbox): Promise<void> {
  await project.run('sync', ...CORE, ...READ)
  await project.run('journal', '--date', DAY)
  const [sale] = project.query(
    `SELECT id FROM transactions WHERE store_id = 'downtown' AND trans_type = 'Sale'
       AND status = 'Completed' AND completed_time BETWEEN
       ${Date.parse(`${DAY}T18:00Z`)} AND ${Date.parse(`${DAY}T23:00Z`)} ORDER BY id LIMIT 1`,
  ) as [[string]]
  await control(sandbox, 'POST', 'void', { store: 'downtown', transactionId: sale[0] })
  await project.run('sync', 'transactions', ...READ, '--again')
  await project.run('journal', '--date', DAY, '--store', 'downtown')
}

async function takeStock(project: Project): Promise<{ audit: string; sheet: string }> {
  const taken = await project.run('audit', 'snapshot', '--store', 'downtown', '--open', '--json')
  const { audit, files } = JSON.parse(taken.stdout) as {
    audit: string
    files: { path: string; format: string }[]
  }
  return { audit, sheet: files.find(({ format }) => format === 'csv')!.path }
}

/** Everything as it should be, but for the first lot. */
export const oneShort: ChangeRow = (row, at) =>
  at === 0 ? { counted_qty: String(Number(row['expected_qty']) - 1), reason_code: 'theft' } : {}

function writeCounts(path: string, sheet: string, change: ChangeRow): string {
  const counted = { counted_by: 'E-14', counted_at: new Date().toISOString() }
  const rows = readCsv(readFileSync(sheet, 'utf8')).map((row, at) => {
    const filled = {
      ...row,
      ...counted,
      counted_qty: row['expected_qty'] ?? '',
      ...change(row, at),
    }
    return SHEET_COLUMNS.map(name => (filled as Record<string, string>)[name] ?? '')
  })
  writeFileSync(path, csvText(SHEET_COLUMNS, rows))
  return path
}

function idIn({ stdout, stderr }: { stdout: string; stderr: string }): string {
  const [id] = /\bPLN?-\d{8}-[0-9a-f]{8}\b/.exec(stdout) ?? []
  if (id === undefined) throw new Error(`no plan was made: ${stdout}${stderr}`)
  return id
}

/** What a browser has asked for and been refused by the policy, and what its scripts have said. */
export function complaintsOf(page: Page): string[] {
  const said: string[] = []
  page.on('console', message => {
    if (message.type() === 'error') said.push(message.text())
  })
  page.on('pageerror', error => said.push(String(error)))
  return said
}
