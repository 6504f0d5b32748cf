import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Looks so often whether anything is going on. */
const LOOK_MS = 5_000
/** Of one processor: whoever uses less waits for the next run. */
const WAITING_SHARE = 0.05

/**
 * A process that waits for the next night gives back what starting, or a run, has left: V8 collects
 * when memory becomes short, which it does not in hours of waiting. Call the answer to stop.
 */
export function giveMemoryBackWhenIdle(): () => void {
  const hasComeToRest = createRestWatch()
  let before = process.cpuUsage()
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(before)
    if (hasComeToRest((user + system) / 1000, LOOK_MS)) collectEverything()
    // What collecting took is no work.
    before = process.cpuUsage()
  }, LOOK_MS).unref()
  return () => clearInterval(timer)
}

/** Told what each span of time has used of a processor, answers true once after each work. */
export function createRestWatch(): (usedMs: number, spanMs: number) => boolean {
  let hasWorked = true
  return (usedMs, spanMs) => {
    const isWaiting = usedMs < spanMs * WAITING_SHARE
    const comesToRest = isWaiting && hasWorked
    hasWorked = !isWaiting
    return comesToRest
  }
}

/** All that nobody can reach, and code that has not run for a while: 0.15 s of a processor. */
export function collectEverything(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options: object) => void
  collect({ type: 'major', flavor: 'last-resort' })
}
