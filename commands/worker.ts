import { declareCommand } from './command.ts'
import type { Context } from './command.ts'
import { loggingTo } from './up/log-to.ts'
import { serve } from './up/serve.ts'
import { serveUntilStopped } from './up/until-stopped.ts'

/** `tillage worker`: a worker alone, until it is told to stop. It takes up settings that change. */
async function work(asked: Context): Promise<number> {
  const context = loggingTo(asked)
  const serving = await serve(context, context.config, { hasSchedules: false, hasConsole: false })
  const { temporalAddress, taskQueue } = serving.worker
  context.terminal.log(
    `worker is up: Temporal ${temporalAddress}, task queue ${taskQueue}. ` +
      'Ctrl-C stops it in order.',
  )
  return serveUntilStopped(context, serving)
}

export const command = declareCommand({ storeless: true, run: work })
