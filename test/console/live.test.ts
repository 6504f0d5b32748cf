import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { control } from '../helpers/project.ts'
import { startFullScene } from './full-scene.ts'
import type { FullScene } from './full-scene.ts'

/** One person with two tabs open while commands write elsewhere. */
let scene: FullScene
let tabs: [Page, Page]

beforeAll(async () => {
  scene = await startFullScene()
  tabs = [await scene.signedIn('Ada'), await scene.signedIn('Ada')]
  for (const tab of tabs) {
    await tab.goto(`${scene.served.url}/plans`)
    await tab.waitForSelector('#live:has-text("· live")')
  }
})
afterAll(() => scene.close())

const planAgain = async (): Promise<void> =>
  expect((await scene.project.run('push', 'plan', 'vendors', 'vendors.csv')).status).toBe(0)

const shows = (tab: Page, sentence: string): Promise<unknown> =>
  tab.waitForSelector(`.lead:has-text("${sentence}")`)

it('what somebody has picked stays picked when the page changes, and the page follows afterwards', async () => {
  const [picking, other] = tabs
  const store = picking.locator('main select[name="store"]').first()
  const pick = async (value: string): Promise<void> => {
    await store.focus()
    await store.selectOption(value)
    await store.blur()
  }
  await pick('harbor')
  await planAgain()
  await shows(other, '3 plans wait')
  expect(await store.inputValue()).toBe('harbor')
  expect(await picking.textContent('.lead')).toContain('2 plans wait')
  await pick('')
  await shows(picking, '3 plans wait')
})

it('a plan with an outcome that nobody knows is in the first sentence of the plans', async () => {
  for (const by of ['Cora', 'Carl'])
    await scene.project.run('reconcile', 'approve', scene.counts, '--by', by)
  await control(scene.sandbox, 'POST', 'faults', [{ method: 'POST', status: 502 }])
  await scene.project.run('reconcile', 'apply', scene.counts)
  await shows(tabs[1], '1 plan has an outcome that nobody knows; 2 plans wait')
})

it('a page whose session has ended elsewhere does not go on to say that it is live', async () => {
  const [leaving, other] = tabs
  await leaving.getByRole('button', { name: 'Sign out' }).click()
  await leaving.waitForURL(/sign-in/)
  await planAgain()
  await other.waitForSelector('#live:has-text("not live since")')
})
