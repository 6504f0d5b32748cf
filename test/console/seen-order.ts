import type { Page } from 'playwright-core'

interface Seen {
  what: string
  top: number
  left: number
}

/**
 * Headings and landmarks that a reader hears in another order than one that they are seen in, down
 * the page and from left to right; none: [].
 */
export async function heardOutOfOrder(page: Page): Promise<string[]> {
  const seen = await page.evaluate<Seen[]>(`
    [...document.querySelectorAll('header, nav, main, h1, h2, h3')].map(one => {
      const { top, left } = one.getBoundingClientRect()
      return { what: one.tagName + ' ' + one.textContent.trim().slice(0, 40), top, left }
    })`)
  return seen.flatMap((one, at) => {
    const before = seen[at - 1]
    const isInOrder =
      before === undefined ||
      one.top > before.top ||
      (one.top === before.top && one.left >= before.left)
    return isInOrder ? [] : [`${one.what} is seen before ${before.what}`]
  })
}
