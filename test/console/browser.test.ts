import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accessibilityViolations } from '../helpers/browser.ts'
import { waitFor } from '../helpers/project.ts'
import { complaintsOf, DAY, startFullScene } from './full-scene.ts'
import type { FullScene } from './full-scene.ts'

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

const visit = async (page: Page, path: string): Promise<number> =>
  (await page.goto(`${scene.served.url}${path}`))!.status()

describe('every page', () => {
  it.each([
    ['dark', { colorScheme: 'dark' }],
    ['forced colours', { forcedColors: 'active' }],
    ['reduced motion', { reducedMotion: 'reduce' }],
  ] as const)('breaks no rule of accessibility in %s, nor the policy', async (_what, options) => {
    const page = await scene.signedIn('Cora', options)
    const complaints = complaintsOf(page)
    for (const path of paths) {
      expect(await visit(page, path), path).toBe(200)
      expect(await accessibilityViolations(page), path).toEqual([])
    }
    expect(complaints).toEqual([])
    await page.context().close()
  })

  it('fits 320 pixels, and a text of twice its size', async () => {
    const page = await scene.signedIn('Cora', { viewport: { width: 320, height: 640 } })
    const wide = await scene.signedIn('Cora', { viewport: { width: 1280, height: 800 } })
    for (const path of paths) {
      await visit(page, path)
      expect(await widthOf(page), path).toBeLessThanOrEqual(320)
      await visit(wide, path)
      await wide.evaluate('document.documentElement.style.fontSize = "200%"')
      expect(await widthOf(wide), path).toBeLessThanOrEqual(1280)
    }
    await page.context().close()
    await wide.context().close()
  })

  it('prints without navigation and forms, and nothing is cut off', async () => {
    const page = await scene.signedIn('Cora', { viewport: { width: 794, height: 1123 } })
    await page.emulateMedia({ media: 'print' })
    for (const path of paths) {
      await visit(page, path)
      expect(await widthOf(page), path).toBeLessThanOrEqual(794)
      expect(await page.locator('header:visible, form:visible').count(), path).toBe(0)
    }
    await page.context().close()
  })

  it('shows a viewer the same, and nothing to decide', async () => {
    const page = await scene.signedIn('Vic')
    for (const path of paths) {
      expect(await visit(page, path), path).toBe(200)
      expect(await page.locator('form.act').count(), path).toBe(0)
    }
    await page.context().close()
  })
})

const widthOf = (page: Page): Promise<number> =>
  page.evaluate<number>('document.documentElement.scrollWidth')

describe('without script', () => {
  it('filters, pages and hands out files', async () => {
    const page = await scene.signedIn('Ann', { javaScriptEnabled: false })
    await visit(page, '/books')
    await page.fill('input[name=month]', '2026-03')
    await page.click('form.filters button')
    expect(page.url()).toContain('month=2026-03')
    await page.click(`a:text-is("${DAY}") >> nth=0`)
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

describe('a plan of counts', () => {
  it('is held up by a request for changes, until whoever asked takes it back', async () => {
    const [cora, carl] = [await scene.signedIn('Cora'), await scene.signedIn('Carl')]
    await visit(carl, `/plans/${scene.counts}`)
    await act(carl, 'ask-counts', { reason: 'lot 1 was counted before the delivery' })
    await visit(cora, `/plans/${scene.counts}`)
    expect(await cora.textContent('.lead')).toContain('Carl asks for changes')
    expect(await cora.locator('form[action="/do/approve-counts"]').count()).toBe(0)
    expect(await act(cora, 'withdraw-counts-request')).toContain('It failed')
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

/** Fills in the form of an action, sends it, and answers what its command said in the end. */
async function act(
  page: Page,
  name: string,
  values: Readonly<Record<string, string>> = {},
): Promise<string> {
  const form = page.locator(`form[action="/do/${name}"]`).first()
  for (const [field, value] of Object.entries(values))
    await form.locator(`[name="${field}"]`).fill(value)
  await form.locator('button').click()
  await page.waitForURL(/\/runs\/|\/do\//)
  // The page is loaded anew by itself, so it is asked beside it.
  let said = ''
  await waitFor(async () => {
    said = await (await page.request.get(page.url())).text()
    return !said.includes('It is under way')
  }, `${name} to end`)
  return said
}
