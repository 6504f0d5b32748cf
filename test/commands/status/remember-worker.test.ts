import { expect, onTestFinished, test, vi } from 'vitest'
import { rememberWorker } from '../../../commands/status/remember-worker.ts'
import type { WorkerStanding } from '../../../commands/status/worker-is-up.ts'

const UNASKED: WorkerStanding = { isUp: true, stranded: [] }
const AWAY: WorkerStanding = { isUp: undefined, stranded: [], problem: 'it does not answer' }

/** A Temporal that answers what it is told to, and a clock that is turned by hand. */
function startScene() {
  let nowMs = 0
  let answer: WorkerStanding | undefined
  let asked = 0
  const ask = async (): Promise<WorkerStanding> => {
    asked += 1
    if (answer === undefined) throw new Error('the database is locked')
    return answer
  }
  const known = rememberWorker(ask, UNASKED, () => nowMs)
  return {
    known,
    times: () => asked,
    answers: (next: WorkerStanding | undefined) => (answer = next),
    /** What is known after so long, by the second who asks. */
    async after(seconds: number): Promise<WorkerStanding> {
      nowMs += seconds * 1000
      known()
      await Promise.resolve().then(() => {})
      return known()
    },
  }
}

test('Temporal is asked every ten seconds at the most, and its answer is for the next who asks', async () => {
  const scene = startScene()
  const open: WorkerStanding = { ...UNASKED, open: ['night/downtown/2026-03-01'] }
  scene.answers(open)
  expect(scene.known()).toBe(UNASKED)
  expect(await scene.after(1)).toBe(open)
  expect(scene.times()).toBe(1)
  await scene.after(9)
  expect(scene.times()).toBe(2)
})

test('a Temporal that starts anew within a minute is not away; one that is away for longer is', async () => {
  const scene = startScene()
  const open: WorkerStanding = { ...UNASKED, open: [] }
  scene.answers(open)
  await scene.after(1)
  scene.answers(AWAY)
  expect(await scene.after(40)).toBe(open)
  expect(await scene.after(30)).toBe(AWAY)
  scene.answers(open)
  expect(await scene.after(10)).toBe(open)
})

test('a Temporal that has not answered at all is away from the first answer on', async () => {
  const scene = startScene()
  scene.answers(AWAY)
  expect(await scene.after(0)).toBe(AWAY)
})

test('what was known an hour ago is known no more, whatever has begun since', async () => {
  const scene = startScene()
  scene.answers({ ...UNASKED, open: [] })
  await scene.after(1)
  scene.answers(undefined)
  expect(await scene.after(3600)).toBe(UNASKED)
})

test('a clock that is put back keeps nobody from asking again', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: Date.UTC(2026, 2, 2) })
  onTestFinished(() => void vi.useRealTimers())
  let asked = 0
  const known = rememberWorker(async () => {
    asked += 1
    return UNASKED
  }, UNASKED)
  known()
  vi.setSystemTime(Date.UTC(2026, 2, 1))
  vi.advanceTimersByTime(10_000)
  known()
  expect(asked).toBe(2)
})
