import type { Page } from 'playwright-core'

/** More than any page has stops. */
const MOST_STOPS = 200

/** Goes on with the Tab key until what has the focus is called so; never with a mouse. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let stop = 0; stop < MOST_STOPS; stop++) {
    await page.keyboard.press('Tab')
    const focused = await page.evaluate<string>(
      `(document.activeElement.name || document.activeElement.textContent).trim()`,
    )
    if (focused === name) return
  }
  throw new Error(`the Tab key does not reach ${name} on ${page.url()}`)
}

/** Goes there, and presses Enter; a page comes of it. */
export async function press(page: Page, name: string): Promise<void> {
  await tabTo(page, name)
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')])
}
