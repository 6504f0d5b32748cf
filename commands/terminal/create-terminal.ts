import { printable } from './printable.ts'
import { sayAsStarted, startedAs, USUAL_WIDTH } from './started-as.ts'
import type { Terminal } from './terminal.ts'
import { cut, wrap, wrapMessage } from './wrap.ts'

/** The terminal of one call of the program. */
export interface ProgramTerminal extends Terminal {
  /** Takes the last line of progress away. */
  end(): void
}

const NON_TTY_EVERY_MS = 5_000
/** Progress of which nothing new is heard for so long is said again: a slow API is no dead one. */
const AGAIN_AFTER_MS = 10_000

/** Where words go: the process itself, or whoever calls the program without one. */
export interface TerminalStreams {
  stdout: Pick<NodeJS.WriteStream, 'write'>
  stderr: Pick<NodeJS.WriteStream, 'write'> & Partial<NodeJS.WriteStream>
}

export function createTerminal(
  json: boolean,
  { stdout, stderr }: TerminalStreams,
): ProgramTerminal {
  const live = stderr.isTTY === true
  const newest = newestLines(stderr)
  let lastMs = 0
  let again: NodeJS.Timeout | undefined
  let lastLine = ''
  const show = (line: string): void => {
    if (live) newest.show(printable(line))
    else stderr.write(`${printable(line)}\n`)
  }
  const end = (): void => {
    clearInterval(again)
    lastLine = ''
    newest.clear()
  }
  return {
    json,
    end,
    print(text) {
      end()
      // A document for programs is the same however the program was started.
      stdout.write(`${printable(json ? text : sayAsStarted(text))}\n`)
    },
    log(line) {
      end()
      const said = printable(sayAsStarted(line))
      const isProse = live && !json
      stderr.write(`${isProse ? wrapMessage(said, columnsOf(stderr), startedAs()) : said}\n`)
    },
    progress(line) {
      // Who asks twice a second hears the same for long: that is nothing new.
      if (line === lastLine) return
      lastLine = line
      const sinceMs = Date.now()
      if (live || sinceMs - lastMs > NON_TTY_EVERY_MS) {
        lastMs = sinceMs
        show(line)
      }
      clearInterval(again)
      const sayAgain = (): void =>
        show(`${line} (for ${Math.round((Date.now() - sinceMs) / 1000)} s)`)
      again = setInterval(sayAgain, AGAIN_AFTER_MS).unref()
    },
  }
}

const columnsOf = ({ columns }: TerminalStreams['stderr']): number => columns || USUAL_WIDTH

/** What stands at the end of a terminal until something newer takes its place. */
function newestLines(stderr: TerminalStreams['stderr']): {
  show(text: string): void
  clear(): void
} {
  let shown = 0
  const clear = (): void => {
    if (shown > 0) stderr.write(`\r\x1b[2K${'\x1b[1A\x1b[2K'.repeat(shown - 1)}`)
    shown = 0
  }
  return {
    clear,
    show(text) {
      clear()
      // One column stays free: a full line makes some terminals begin the next one.
      const widest = columnsOf(stderr) - 1
      const lines = text
        .split('\n')
        .flatMap(part => wrap(part, widest))
        .map(part => cut(part, widest))
      stderr.write(lines.join('\n'))
      shown = lines.length
    },
  }
}
