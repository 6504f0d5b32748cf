import { expect, it } from 'vitest'
import { createPush } from '../../activities/create-push.ts'
import { waitFor } from '../helpers/project.ts'
import { openPushPlace } from './push-place.ts'
import { applyInRun, startScene } from './scene.ts'

it('two plans for one store are written one after the other, by two processes at the same time', async () => {
  const scene = await startScene()
  const place = openPushPlace(`${scene.folder}/tillage.db`)
  try {
    const { settings, runner } = scene.push
    const other = createPush({ ...place, settings, runner }, scene.dependencies)
    const prepare = async (from: number): Promise<string> => {
      const rows = Array.from({ length: 8 }, (_, at) => `P-${from + at},from ${from}`)
      const { plan } = await scene.plan('products', ['external_id,description', ...rows].join('\n'))
      await scene.approve(plan)
      return plan
    }
    const [one, two] = [await prepare(1010), await prepare(1020)]
    const numbers = new Map(
      (await scene.records('products')).map(({ id, externalId }) => [id, externalId]),
    )
    const written = (await scene.writes()).length
    await scene.faults({ match: 'products', latencyMs: 20 })
    await Promise.all([applyInRun(scene.push, one), applyInRun(other, two)])
    const ofPlans = (await scene.writes())
      .slice(written)
      .map(line => (numbers.get(line.split('/').at(-1)!)! < 'P-1020' ? 'one' : 'two'))
    expect(ofPlans).toHaveLength(16)
    // Each has two parts: its first writes, one by one, and what is left.
    const changes = ofPlans.filter((plan, at) => at > 0 && plan !== ofPlans[at - 1])
    expect(changes.length).toBeLessThanOrEqual(3)
  } finally {
    await place.close()
    await scene.close()
  }
})

it('a store that another plan is written to keeps no other store of a plan waiting', async () => {
  const scene = await startScene({ stores: 2 })
  const place = openPushPlace(`${scene.folder}/tillage.db`)
  try {
    const [first, second] = scene.sandbox.stores.map(({ id }) => id)
    const rows = Array.from({ length: 8 }, (_, at) => `P-${1010 + at},new`)
    const text = ['external_id,description', ...rows].join('\n')
    const { plan } = await scene.plan('products', text, { stores: [first!, second!] })
    await scene.approve(plan)
    const held = await place.outbound.lockStore({ store: second!, run: 'another' }, () => {})
    const written = (await scene.writes()).length
    const count = async (): Promise<number> => (await scene.writes()).length - written
    const applying = applyInRun(scene.push, plan)
    await waitFor(async () => (await count()) === 8, 'the first store to be written')
    await held.release()
    await applying
    expect(await count()).toBe(16)
  } finally {
    await place.close()
    await scene.close()
  }
})
