import { createLog } from '../../log/log.ts'
import type { Context } from '../command.ts'

/** The same context, whose log goes where `log:` of tillage.yaml says. */
export function loggingTo(context: Context): Context {
  const { terminal, config } = context
  const write = createLog(config.log, terminal.log)
  const say = (text: string): void => write({ level: 'info', event: 'said', text })
  const { format, file } = config.log
  const isTerminalJson = format === 'json' && file === undefined
  return {
    log: write,
    tell: isTerminalJson ? terminal.print : terminal.log,
    signal: context.signal,
    // Read anew by who asks: `up` takes up settings that changed.
    get config() {
      return context.config
    },
    terminal: { ...terminal, log: say },
  }
}
