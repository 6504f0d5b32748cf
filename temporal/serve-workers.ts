import type { Worker } from '@temporalio/worker'

/** A minute, as Kubernetes and systemd give it to what they stop. */
const DRAIN_MS = 60_000

/** What is under way has a third of the time to end, and is told then to let go of its work. */
export const drainIn = (drainMs = DRAIN_MS) => ({
  shutdownGraceTime: Math.round(drainMs / 3),
  shutdownForceTime: drainMs,
})

export interface ServingWorkers {
  serve(worker: Worker): void
  /** When the first of them stops, or all are told to. */
  stopped: Promise<void>
}

/** When it is over, all are told at once: each has the whole time to let go of its work. */
export function createServingWorkers(undo: (() => Promise<void>)[]): ServingWorkers {
  const first = Promise.withResolvers<void>()
  // Whoever waits on it sees the error; this only keeps it from being unhandled meanwhile.
  first.promise.catch(() => {})
  const running: { worker: Worker; stopped: Promise<void> }[] = []
  undo.push(async () => {
    for (const { worker } of running) if (worker.getState() === 'RUNNING') worker.shutdown()
    // Why one stopped by itself is for whoever waits.
    await Promise.allSettled(running.map(({ stopped }) => stopped))
    // A process that tells schedules alone has no worker that could stop.
    first.resolve()
  })
  return {
    serve(worker) {
      const stopped = worker.run()
      stopped.then(first.resolve, first.reject)
      running.push({ worker, stopped })
    },
    stopped: first.promise,
  }
}
