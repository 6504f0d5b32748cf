import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import axe from 'axe-core'
import { chromium } from 'playwright-core'
import type { Browser, Page } from 'playwright-core'

/** As Debian and others name it; the first is the smallest. */
const NAMES = ['chromium-headless-shell', 'chromium', 'google-chrome']

/** A real Chromium without a window. Throws with the remedy where there is none. */
export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] })

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

/** What of WCAG 2.2 AA, and of axe's best practices, a page does not hold; none: []. */
export async function accessibilityViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
  const found = await page.evaluate<axe.AxeResults>(
    `axe.run(document, { runOnly: { type: 'tag', values: ${JSON.stringify(tags)} } })`,
  )
  return found.violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`,
  )
}
