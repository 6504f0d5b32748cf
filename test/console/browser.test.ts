import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serveConsole } from '../../commands/console/serve-console.ts'
import { loadConfig } from '../../config.ts'
import { accessibilityViolations, LOOKS, openPage } from '../helpers/browser.ts'
import { LONG } from '../helpers/size.ts'
import { act, endOf } from './act-on-page.ts'
import { startScene } from './console.ts'
import { complaintsOf, DAY, oneShort, PASSWORD, startFullScene } from './full-scene.ts'
import type { FullScene } from './full-scene.ts'
import { press, tabTo } from './keyboard.ts'
import { tabsFollow } from './live.ts'
import { heardOutOfOrder } from './seen-order.ts'

let scene: FullScene
let paths: string[]

beforeAll(async () => {
  scene = await startFullScene()
  paths = [
    '/',
    '/coverage?store=downtown&from=2026-03-03&to=2026-03-14',
    `/coverage/downtown/transactions/${DAY}`,
    '/books?month=2026-03',
    `/books/downtown/${DAY}`,
    '/plans',
    `/plans/${scene.counts}`,
    `/plans/${scene.push}`,
    '/compliance',
    `/audits/${scene.audit}`,
    '/problems',
    '/runs',
    '/connections?store=downtown',
  ]
})
afterAll(() => scene.close())

const NARROW = { width: 320, height: 640 }
const WIDE = { width: 1280, height: 800 }
const LIGHT = {
  colorScheme: 'light',
  forcedColors: 'none',
  reducedMotion: 'no-preference',
} as const
const DARK = { colorScheme: 'dark', forcedColors: 'none', reducedMotion: 'reduce' } as const
/** Beside a narrow one in light colours. */
const OTHER_LOOKS = [
  [NARROW, { forcedColors: 'active' }],
  [NARROW, DARK],
  [WIDE, DARK],
  [WIDE, { forcedColors: 'active' }],
] as const
/** All pages have one stylesheet: each has both widths and all colours, and two have each pair. */
const looksOf = (page: number) => OTHER_LOOKS.filter((_, at) => LONG || at % 2 === page % 2)

/** A page that loads itself anew in that moment takes its place once: it is asked for again. */
const visit = async (page: Page, path: string): Promise<number> => {
  const open = () => page.goto(`${scene.served.url}${path}`)
  const answer = await open().catch((error: unknown) => {
    if (!String(error).includes('ERR_ABORTED')) throw error
    return open()
  })
  return answer!.status()
}

describe('every page', () => {
  it('fits, breaks no rule of accessibility nor the policy, and is heard the same in all looks', async () => {
    // Who may do everything has every form.
    const page = await scene.signedIn('Ada', { viewport: NARROW })
    const complaints = complaintsOf(page)
    for (const [at, path] of paths.entries()) {
      expect(await visit(page, path), path).toBe(200)
      expect(await widthOf(page), path).toBeLessThanOrEqual(NARROW.width)
      expect(await accessibilityViolations(page), path).toEqual([])
      const heard = await page.locator('body').ariaSnapshot()
      for (const [viewport, media] of looksOf(at)) {
        await page.setViewportSize(viewport)
        await page.emulateMedia({ ...LIGHT, ...media })
        expect(await accessibilityViolations(page, LOOKS), path).toEqual([])
        expect(await page.locator('body').ariaSnapshot(), path).toBe(heard)
      }
      await page.setViewportSize(WIDE)
      await page.evaluate('document.documentElement.style.fontSize = "200%"')
      expect(await widthOf(page), `${path}, letters of twice their size`).toBeLessThanOrEqual(
        WIDE.width,
      )
      await page.setViewportSize(NARROW)
      await page.emulateMedia(LIGHT)
      expect(await widthOf(page), `${path}, narrow as well`).toBeLessThanOrEqual(NARROW.width)
    }
    expect(complaints).toEqual([])
    // The twin: what only one of the looks breaks is told.
    await page.evaluate(`document.querySelector('main').style.color = '#18211b'`)
    expect(await accessibilityViolations(page, LOOKS)).toEqual([])
    await page.emulateMedia(DARK)
    expect(await accessibilityViolations(page, LOOKS)).not.toEqual([])
    await page.context().close()
  })

  it('prints without navigation and forms, nothing cut off, and is heard as it is seen', async () => {
    const page = await scene.signedIn('Cora')
    for (const path of paths) {
      await visit(page, path)
      expect(await heardOutOfOrder(page), path).toEqual([])
      await page.setViewportSize({ width: 794, height: 1123 })
      await page.emulateMedia({ media: 'print' })
      expect(await widthOf(page), path).toBeLessThanOrEqual(794)
      expect(await page.locator('header:visible, form:visible').count(), path).toBe(0)
      await page.emulateMedia({ media: 'screen' })
      await page.setViewportSize(WIDE)
    }
    // The twin: another order is told.
    await page.evaluate(`Object.assign(document.querySelector('main').style,
      { display: 'flex', flexDirection: 'column-reverse' })`)
    expect(await heardOutOfOrder(page)).not.toEqual([])
    await page.context().close()
  })

  it('shows a viewer the same, and nothing to decide', async () => {
    const { request } = (await scene.signedIn('Vic')).context()
    for (const path of paths) {
      const answer = await request.get(`${scene.served.url}${path}`)
      expect([answer.status(), await answer.text()], path).toEqual([
        200,
        expect.not.stringMatching(/<form[^>]*class="act/),
      ])
    }
    // The twin: who may do everything has forms.
    const { request: hers } = (await scene.signedIn('Ada')).context()
    expect(await (await hers.get(`${scene.served.url}/plans`)).text()).toMatch(
      /<form[^>]*class="act/,
    )
  })
})

it('a month of coverage is printed on one sheet, under the name of its month', async () => {
  const page = await scene.signedIn('Cora', { viewport: { width: 703, height: 1032 } })
  await page.emulateMedia({ media: 'print' })
  await visit(page, '/coverage?store=downtown&from=2026-02-27&to=2026-03-29')
  expect(await page.locator('.calendar th[colspan]').allTextContents()).toEqual([
    '2026-02',
    '2026-03',
  ])
  expect(await page.locator('.calendar tbody tr').first().locator('td').count()).toBe(31)
  expect(await widthOf(page)).toBeLessThanOrEqual(703)
  expect(await page.locator('.calendar').evaluate(heightOf)).toBeLessThan(1032)
  await page.context().close()
})

const heightOf = (one: { clientHeight: number }): number => one.clientHeight

const widthOf = (page: Page): Promise<number> =>
  page.evaluate<number>('document.documentElement.scrollWidth')

describe('without script', () => {
  it('filters, pages and hands out files', async () => {
    const page = await scene.signedIn('Ann', { javaScriptEnabled: false })
    await visit(page, '/books')
    await page.fill('input[name=month]', '2026-03')
    await Promise.all([page.waitForURL(/month=2026-03/), page.click('form.filters button')])
    const day = page.click(`a:text-is("${DAY}") >> nth=0`)
    await Promise.all([page.waitForURL(`**/books/downtown/${DAY}`), day])
    expect(await page.textContent('h1')).toBe(`downtown, ${DAY}`)
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.click('a:has-text("daily_sales_journal_downtown") >> nth=0'),
    ])
    expect(file.suggestedFilename()).toMatch(/^daily_sales_journal_downtown_2026-03-05_r0\.csv$/)
    await page.context().close()
  })

  it('shows a late edit and what it changed beside each other', async () => {
    const page = await scene.signedIn('Ann', { javaScriptEnabled: false })
    await visit(page, `/books/downtown/${DAY}`)
    const changes = page.locator('section:has(h2#changes)')
    expect(await changes.locator('tbody tr').count()).toBeGreaterThan(0)
    expect(await changes.textContent()).toContain('r0 to r1')
    expect(await page.locator('section:has(h2#tie-outs) tbody tr').count()).toBeGreaterThan(0)
    await visit(page, '/books/downtown/2026-03-06')
    expect(await page.locator('h2#changes').count()).toBe(0)
    await page.context().close()
  })
})

describe('counts are uploaded without script', () => {
  it('mistakes are told at once, cell by cell, and another file needs nothing else', async () => {
    const page = await scene.signedIn('Cora', { javaScriptEnabled: false })
    await visit(page, `/audits/${scene.audit}`)
    const wrong = scene.countsFile('wrong.csv', (_row, at) =>
      at === 0 ? { counted_qty: 'many', counted_at: 'yesterday' } : {},
    )
    await page.setInputFiles('form[action="/do/report-counts"] input[type=file]', wrong)
    expect(await act(page, 'report-counts')).not.toContain('It is done')
    await page.reload()
    expect(await page.locator('section:has(h2#problems) tbody tr').count()).toBe(2)
    // What judges pages is a script itself.
    const judged = await scene.signedIn('Cora')
    await judged.goto(page.url())
    expect(await accessibilityViolations(judged)).toEqual([])
    await judged.context().close()
    const right = scene.countsFile('right.csv', oneShort)
    await page.setInputFiles('form[action="/do/report-counts"] input[type=file]', right)
    const said = await act(page, 'report-counts')
    expect(said).not.toContain('What is wrong in the file')
    // The page of the failed try is not where it leads back to; nothing is uploaded again.
    expect(said).toContain(`<a href="/audits/${scene.audit}">Back to where it was started</a>`)
    await visit(page, `/audits/${scene.audit}`)
    expect(await act(page, 'plan-reported')).toMatch(/PLN-\S+: changes 1 of/)
    await page.context().close()
  })
})

describe('a plan of counts', () => {
  it('is held up by a request for changes, until whoever asked takes it back', async () => {
    const [cora, carl] = [await scene.signedIn('Cora'), await scene.signedIn('Carl')]
    await visit(carl, `/plans/${scene.counts}`)
    await act(carl, 'ask-counts', { reason: 'lot 1 was counted before the delivery' })
    await visit(cora, `/plans/${scene.counts}`)
    expect(await cora.textContent('.lead')).toContain('Carl asks for changes')
    expect(await cora.locator('form[action="/do/approve-counts"]').count()).toBe(0)
    expect(await cora.locator('form[action="/do/withdraw-counts-request"]').count()).toBe(0)
    await visit(carl, `/plans/${scene.counts}`)
    expect(await act(carl, 'withdraw-counts-request')).toContain('It is done')
    await visit(cora, `/plans/${scene.counts}`)
    expect(await cora.locator('form[action="/do/approve-counts"]').count()).toBe(1)
    for (const page of [cora, carl]) await page.context().close()
  })

  it('takes the approvals of two people in two browsers, once each, and no third', async () => {
    const [cora, other, carl] = [
      await scene.signedIn('Cora'),
      await scene.signedIn('Cora', { javaScriptEnabled: false }),
      await scene.signedIn('Carl'),
    ]
    for (const page of [cora, other, carl]) await visit(page, `/plans/${scene.counts}`)
    const said = await Promise.all([act(cora, 'approve-counts'), act(other, 'approve-counts')])
    expect(said.filter(text => text.includes('It is done'))).toHaveLength(1)
    expect(said.find(text => !text.includes('It is done'))).toContain(
      'Cora has approved this plan already',
    )
    expect(await act(carl, 'approve-counts')).toContain('It is done')
    await visit(cora, `/plans/${scene.counts}`)
    expect(await cora.textContent('dl.facts')).toMatch(/Cora.*Carl/s)
    for (const page of [cora, other, carl]) await page.context().close()
  })
})

describe('what is broken is told, in a page that breaks no rule', () => {
  const told = async (page: Page, text: RegExp): Promise<void> => {
    expect(await page.locator('h1').count()).toBe(1)
    expect(await page.textContent('main')).toMatch(text)
    expect(await accessibilityViolations(page)).toEqual([])
  }

  it('a plan that moved meanwhile is not approved', async () => {
    const page = await scene.signedIn('Olga')
    await visit(page, `/plans/${scene.push}`)
    const db = new Database(join(scene.project.folder, 'tillage-data', 'tillage.db'))
    const moveTo = (hash: string) =>
      db.prepare('UPDATE outbound_plans SET hash = ? WHERE plan = ?').run(hash, scene.push)
    const hash = await page.inputValue('form[action="/do/approve-push"] [name=hash]')
    moveTo(hash.replaceAll(/[0-9a-f]/g, 'a'))
    try {
      const button = 'form[action="/do/approve-push"] button'
      await Promise.all([page.waitForURL('**/do/approve-push'), page.click(button)])
      await told(page, /Your page showed .* as .{12}; it is a{12} now/)
    } finally {
      moveTo(hash)
      db.close()
    }
    await page.context().close()
  })

  it('what a role may not decide is answered with the role that may', async () => {
    const page = await scene.signedIn('Cora')
    await visit(page, `/audits/${scene.audit}`)
    const form = page.locator(
      'form[action="/do/withdraw-discrepancy"], form[action="/do/confirm-discrepancy"]',
    )
    await Promise.all([
      page.waitForNavigation(),
      form.evaluate((one: { action: string; submit(): void }) => {
        one.action = '/do/write-journal'
        one.submit()
      }),
    ])
    await told(page, /needs the role accountant or admin; you are compliance/)
    await page.context().close()
  })

  it('a locked database says so, and what to do', async () => {
    const locked = await startScene()
    const holder = new Database(join(locked.folder, 'tillage-data', 'tillage.db'))
    const page = await openPage(scene.browser)
    await page.goto(locked.served.signIn)
    holder.exec('CREATE TABLE kysely_migration (name TEXT); BEGIN EXCLUSIVE')
    expect((await page.goto(`${locked.served.url}/books`))!.status()).toBe(503)
    await told(page, /DATABASE_BUSY/)
    holder.close()
    expect((await page.goto(`${locked.served.url}/books`))!.status()).not.toBe(503)
    await page.context().close()
    await locked.close()
  })

  it('without Temporal Connections says why nobody knows of a worker', async () => {
    const gone = { isUp: undefined, stranded: [], problem: 'it does not answer' }
    const config = loadConfig(join(scene.project.folder, 'tillage.yaml'))
    const users = { ...config, console: { ...config.console, users: [] } }
    const away = await serveConsole(users, { program: 'cli.ts', worker: () => gone })
    const page = await openPage(scene.browser)
    await page.goto(away.signIn)
    for (const path of ['/runs', '/connections']) {
      expect((await page.goto(`${away.url}${path}`))!.status(), path).toBe(200)
      expect(await accessibilityViolations(page), path).toEqual([])
    }
    expect(await page.textContent('main')).toContain('nobody knows: it does not answer')
    await page.context().close()
    await away.close()
  })

  it('an installation that has read nothing says how to begin', async () => {
    const empty = await startScene()
    const page = await openPage(scene.browser)
    await page.goto(empty.served.signIn)
    for (const path of paths.filter(one => !/[A-Z]{2}/.test(one))) {
      await page.goto(`${empty.served.url}${path}`)
      await told(page, /tillage sync/)
    }
    await page.context().close()
    await empty.close()
  })
})

describe('a morning by the keyboard alone', () => {
  it('begins at the link to the content, and goes on with the navigation', async () => {
    const page = await scene.signedIn('Cora')
    await visit(page, '/books?month=2026-03')
    for (const reached of ['Skip to the content', 'Today']) {
      await page.keyboard.press('Tab')
      expect(await page.evaluate('document.activeElement.textContent.trim()')).toBe(reached)
    }
    await page.context().close()
  })

  const signInAs = async (page: Page, name: string): Promise<void> => {
    await page.goto(`${scene.served.url}/sign-in`)
    await tabTo(page, 'name')
    await page.keyboard.type(name)
    await tabTo(page, 'password')
    await page.keyboard.type(PASSWORD)
    await Promise.all([page.waitForURL(/\/$/), page.keyboard.press('Enter')])
  }

  it('reads the day, books it, and looks at what waits', async () => {
    const page = await openPage(scene.browser)
    await signInAs(page, 'Ann')
    await press(page, 'Problems')
    await press(page, 'Books')
    await tabTo(page, 'month')
    await page.keyboard.type('032026')
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')])
    await press(page, '2026-03-06')
    expect(await page.textContent('h1')).toBe('downtown, 2026-03-06')
    await press(page, 'Write the journal')
    expect(await endOf(page)).toContain('It is done')
    await press(page, 'Books')
    await press(page, 'Sign out')
    expect(await page.locator('[name=password]').count()).toBe(1)
    await page.context().close()
  })

  it('approves a plan, and sends it', async () => {
    const page = await openPage(scene.browser)
    await signInAs(page, 'Olga')
    await press(page, 'Plans')
    await press(page, scene.push)
    await press(page, 'Approve it')
    expect(await endOf(page)).toContain('It is done')
    await press(page, 'Plans')
    await press(page, scene.push)
    await press(page, 'Send what was approved')
    expect(await endOf(page)).toContain('It is done')
    await page.context().close()
  })
})

describe('tabs that stay open', () => {
  tabsFollow(() => scene)
})
