import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { control } from '../helpers/project.ts'
import type { FullScene } from './full-scene.ts'

const waitingIn = async (tab: Page): Promise<number> =>
  Number(/(\d+) plans wait/.exec((await tab.textContent('.lead'))!)![1])

const shows = (tab: Page, sentence: string): Promise<unknown> =>
  tab.waitForSelector(`.lead:has-text("${sentence}")`)

/** One person with two tabs open while commands write elsewhere. */
export function tabsFollow(sceneOf: () => FullScene): void {
  let scene: FullScene
  let tabs: [Page, Page]

  beforeAll(async () => {
    scene = sceneOf()
    tabs = [await scene.signedIn('Ada'), await scene.signedIn('Ada')]
    for (const tab of tabs) {
      await tab.goto(`${scene.served.url}/plans`)
      await tab.waitForSelector('#live:has-text("· live")')
    }
  })

  const planAgain = async (): Promise<void> =>
    expect((await scene.project.run('push', 'plan', 'vendors', 'vendors.csv')).status).toBe(0)

  it('what somebody has picked stays picked when the page changes, and the page follows afterwards', async () => {
    const [picking, other] = tabs
    const store = picking.locator('main select[name="store"]').first()
    const pick = async (value: string): Promise<void> => {
      await store.focus()
      await store.selectOption(value)
      await store.blur()
    }
    const before = await waitingIn(picking)
    await pick('harbor')
    await planAgain()
    await shows(other, `${before + 1} plans wait`)
    expect(await store.inputValue()).toBe('harbor')
    expect(await waitingIn(picking)).toBe(before)
    await pick('')
    await shows(picking, `${before + 1} plans wait`)
  })

  it('a plan with an outcome that nobody knows is in the first sentence of the plans', async () => {
    const before = await waitingIn(tabs[1])
    for (const by of ['Cora', 'Carl'])
      await scene.project.run('reconcile', 'approve', scene.counts, '--by', by)
    await control(scene.sandbox, 'POST', 'faults', [{ method: 'POST', status: 502 }])
    await scene.project.run('reconcile', 'apply', scene.counts)
    await shows(tabs[1], `1 plan has an outcome that nobody knows; ${before - 1} plans wait`)
  })

  it('a page whose session has ended elsewhere does not go on to say that it is live', async () => {
    const [leaving, other] = tabs
    await leaving.getByRole('button', { name: 'Sign out' }).click()
    await leaving.waitForURL(/sign-in/)
    await planAgain()
    await other.waitForSelector('#live:has-text("not live since")')
  })
}
