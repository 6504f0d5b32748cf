import { expect, it } from 'vitest'
import { createPush } from '../../activities/create-push.ts'
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
