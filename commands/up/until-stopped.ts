import { aborted } from '../command.ts'
import type { Context } from '../command.ts'
import { formatError } from '../terminal/error.ts'
import { applyChangedSettings } from './apply-changed-settings.ts'
import { listen } from './listen.ts'
import type { Listening } from './listen.ts'
import { forgetProgram } from './serve.ts'
import type { Serving } from './serve.ts'
import { watchForChanges } from './watch-file.ts'

/** Settings that could not be taken up, since a server was away or the database busy. */
const TRIED_AGAIN_MS = 10_000

/**
 * Until Ctrl-C, or until its worker stops by itself, which is an error. Settings that change
 * meanwhile are taken up.
 */
export async function serveUntilStopped(context: Context, begun: Serving): Promise<number> {
  let serving = begun
  let listening: Listening | undefined
  const settings = watchForChanges(serving.config.written.filesNow)
  const stopped = aborted(context.signal).then(() => 'stopped' as const)
  try {
    listening = await listen(context, serving)
    for (;;) {
      const changed = settings.changed().then(() => 'changed' as const)
      const event = await Promise.race([serving.worker.stopped, stopped, changed])
      if (event !== 'changed') return 0
      const { serving: next, isToTryAgain } = await applyChangedSettings(context, serving)
      if (isToTryAgain) settings.changedIn(TRIED_AGAIN_MS)
      if (next === serving) continue
      await listening?.close()
      listening = await listen(context, next).catch((error: unknown) => {
        context.terminal.log(`${formatError(error)}\nit goes on, but receives no events`)
        return undefined
      })
      serving = next
    }
  } finally {
    settings.close()
    serving.service.people?.commands.close()
    await listening?.close()
    await forgetProgram(serving).catch(() => {})
    await serving.worker.close()
  }
}
