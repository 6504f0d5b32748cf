import type { Page } from 'playwright-core'

/** Fills in the form of an action, sends it, and answers what its command said in the end. */
export async function act(
  page: Page,
  name: string,
  values: Readonly<Record<string, string>> = {},
): Promise<string> {
  const form = page.locator(`form[action="/do/${name}"]`).first()
  for (const [field, value] of Object.entries(values))
    await form.locator(`[name="${field}"]`).fill(value)
  const before = page.url()
  await form.locator('button').click()
  await page.waitForURL(({ href }) => href !== before && /\/(runs|do)\//.test(href))
  return endOf(page)
}

/**
 * What the command of the page that is open says in the end. A page that loads itself anew just now
 * has no content that can be asked for; a locator asks again.
 */
export async function endOf(page: Page): Promise<string> {
  const over = page.locator('main .lead').filter({ hasNotText: 'It is under way' })
  await over.waitFor({ timeout: 0 })
  return page.locator('main').innerHTML()
}
