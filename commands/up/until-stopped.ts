import type { Context } from '../command.ts'
import { applyChangedSettings } from './apply-changed-settings.ts'
import { forgetProgram } from './serve.ts'
import type { Serving } from './serve.ts'
import { watchForChanges } from './watch-file.ts'

/** What goes with a worker, for as long as it works by these settings. */
export type StartBeside = (
  serving: Serving,
  isFirst: boolean,
) => Promise<{ close: () => Promise<void> } | undefined>

/**
 * Until Ctrl-C, or until its worker stops by itself, which is an error. Settings that change
 * meanwhile are taken up.
 */
export async function serveUntilStopped(
  context: Context,
  begun: Serving,
  startBeside: StartBeside = async () => undefined,
): Promise<number> {
  let serving = begun
  let beside: Awaited<ReturnType<StartBeside>>
  const settings = watchForChanges(serving.config.file)
  const stopped = aborted(context.signal).then(() => 'stopped' as const)
  try {
    beside = await startBeside(serving, true)
    for (;;) {
      const changed = settings.changed().then(() => 'changed' as const)
      const event = await Promise.race([serving.worker.stopped, stopped, changed])
      if (event !== 'changed') return 0
      const next = await applyChangedSettings(context, serving)
      if (next === serving) continue
      await beside?.close()
      beside = await startBeside(next, false)
      serving = next
    }
  } finally {
    settings.close()
    await beside?.close()
    await forgetProgram(serving).catch(() => {})
    await serving.worker.close()
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve =>
    signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true }),
  )
}
