import { createInterface } from 'node:readline'
import { hashPassword } from '../console/password-hash.ts'
import { TillageError, UsageError } from '../errors.ts'
import { aborted, declareCommand } from './command.ts'
import type { Context } from './command.ts'
import { serveConsole, signInAddress } from './console/serve-console.ts'

/**
 * `tillage console`: the pages for people, until Ctrl-C; `console ticket` prints another address to
 * sign in with, `console hash-password` what stands in tillage.yaml for a password.
 */
async function consoleCommand(
  context: Context,
  _options: object,
  action?: string,
): Promise<number> {
  if (action === undefined) return serveAlone(context)
  if (action === 'ticket') return printTicket(context)
  if (action === 'hash-password') return printHash(context)
  throw new UsageError(
    `console does not know ${JSON.stringify(action)}`,
    'There are: tillage console, tillage console ticket, tillage console hash-password.',
  )
}

async function serveAlone({ config, terminal, signal }: Context): Promise<number> {
  const served = await serveConsole(config)
  try {
    const { url, signIn } = served
    terminal.print(terminal.json ? JSON.stringify({ url, signIn }) : `Console: ${signIn}`)
    if (!terminal.json) terminal.log('Ctrl-C stops it.')
    await aborted(signal)
    return 0
  } finally {
    await served.close()
  }
}

async function printTicket({ config, terminal }: Context): Promise<number> {
  const { publicUrl, listen, users } = config.console
  if (users.length > 0)
    throw new UsageError(
      'tillage.yaml has users for the console, so nobody signs in with a ticket',
      'Sign in with the name and the password of one of them.',
    )
  if (publicUrl === undefined && listen.port === 0)
    throw new UsageError(
      'console: in tillage.yaml listens on port 0, which is another port at each start',
      'Sign in at the address that tillage up or tillage console printed as it began, or name a ' +
        'port there and start it again.',
    )
  const host = listen.host.includes(':') ? `[${listen.host}]` : listen.host
  const signIn = signInAddress(config, publicUrl ?? `http://${host}:${listen.port}`)
  terminal.print(terminal.json ? JSON.stringify({ signIn }) : signIn)
  return 0
}

const SHORTEST_PASSWORD = 10

async function printHash({ terminal, signal }: Context): Promise<number> {
  const password = await readSecret(signal)
  if (password.length < SHORTEST_PASSWORD)
    throw new UsageError(
      `the password is shorter than ${SHORTEST_PASSWORD} characters`,
      'Take a longer one: several words are easy to remember.',
    )
  const hash = await hashPassword(password)
  terminal.print(terminal.json ? JSON.stringify({ hash }) : hash)
  return 0
}

/** One line of stdin; at a terminal it is asked for, and is not shown. */
async function readSecret(signal: AbortSignal): Promise<string> {
  const { stdin: input, stderr } = process
  const isTerminal = input.isTTY
  if (isTerminal) stderr.write('Password: ')
  // Without an output, nothing that is typed comes back.
  const reader = createInterface({ input, terminal: isTerminal })
  const stop = (): void => reader.close()
  signal.addEventListener('abort', stop)
  reader.on('SIGINT', stop)
  try {
    for await (const line of reader) return line
    throw new TillageError('INTERRUPTED', 'no password was given', {
      remedy: 'Nothing was written. Type one, or send it as a line on stdin.',
    })
  } finally {
    reader.close()
    signal.removeEventListener('abort', stop)
    if (isTerminal) stderr.write('\n')
  }
}

export const command = declareCommand<object, [string?]>({
  takes: '[action]',
  storeless: true,
  notes:
    'tillage console ticket prints another address to sign in with; tillage console hash-password ' +
    'reads a password and prints its hash for tillage.yaml.',
  run: consoleCommand,
})
