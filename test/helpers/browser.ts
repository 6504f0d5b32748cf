import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import axe from 'axe-core'
import { chromium } from 'playwright-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

/** As Debian and others name it; the first is the smallest. */
const NAMES = ['chromium-headless-shell', 'chromium', 'google-chrome']

/** A real Chromium without a window. Throws with the remedy where there is none. */
export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] })

/** Of a visitor of its own. What hangs, the limit of its test ends: a busy machine is slow. */
export async function openPage(browser: Browser, options?: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext(options)
  context.setDefaultTimeout(0)
  return context.newPage()
}

function chromiumPath(): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const places = NAMES.flatMap(name => folders.map(folder => join(folder, name)))
  const found = [process.env['CHROMIUM_PATH'], ...places].find(isProgram)
  if (found !== undefined) return found
  throw new Error(
    `no Chromium is here (looked for ${NAMES.join(', ')} in PATH): ` +
      'apt-get install chromium-headless-shell, or set CHROMIUM_PATH',
  )
}

function isProgram(path: string | undefined): boolean {
  if (path === undefined) return false
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** WCAG 2.2 AA, and axe's best practices. */
const ALL: axe.RunOnly = {
  type: 'tag',
  values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
}
/** Those that look at colours and places: all that a width or a colour scheme changes of a page. */
export const LOOKS: axe.RunOnly = {
  type: 'rule',
  values: ['color-contrast', 'link-in-text-block', 'scrollable-region-focusable', 'target-size'],
}

/** What of these rules a page does not hold; none: []. */
export async function accessibilityViolations(page: Page, rules = ALL): Promise<string[]> {
  const isThere = await page.evaluate<boolean>('"axe" in window')
  if (!isThere) await page.evaluate(axe.source)
  const found = await page.evaluate<axe.AxeResults>(
    `axe.run(document, { runOnly: ${JSON.stringify(rules)}, resultTypes: ['violations'] })`,
  )
  return found.violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`,
  )
}
