import type { Option } from 'commander'
import { isDay } from '../calendar/days.ts'
import { UsageError } from '../errors.ts'
import { isProfile, PROFILES } from '../sandbox/faults/profiles.ts'
import type { ProfileName } from '../sandbox/faults/profiles.ts'
import { startSandbox } from '../sandbox/server.ts'
import type { Sandbox } from '../sandbox/server.ts'
import { aborted, declareCommand, option, wholeNumber } from './command.ts'
import type { Context } from './command.ts'
import { formatTable } from './terminal/table.ts'
import type { Terminal } from './terminal/terminal.ts'

export interface SandboxFlags {
  port: number
  seed: number
  stores: number
  days: number
  until?: string
  transactionsPerDay?: number
  profile?: string
  listProfiles?: boolean
  data?: string
}

/** `tillage sandbox`: the Partner Commerce API to try things on, until it is told to stop. */
export async function sandbox(
  { terminal, signal }: Pick<Context, 'terminal' | 'signal'>,
  flags: SandboxFlags,
): Promise<number> {
  if (flags.listProfiles === true) return printProfiles(terminal)
  const { close, ...facts } = await startAsAsked(flags)
  terminal.print(terminal.json ? JSON.stringify(facts) : describeSandbox(facts))
  await aborted(signal)
  await close()
  return 0
}

/** What the options cannot be, the sandbox says in words. */
async function startAsAsked({ profile, ...flags }: SandboxFlags): Promise<Sandbox> {
  const { until, transactionsPerDay, data, port, seed, stores, days } = flags
  if (until !== undefined && !isDay(until))
    throw new UsageError(
      `--until ${JSON.stringify(until)} is not a day of the calendar`,
      'Write days as yyyy-MM-dd.',
    )
  const profiles = chooseProfiles(profile)
  try {
    return await startSandbox({
      port,
      seed,
      stores,
      days,
      profiles,
      ...(until === undefined ? {} : { until }),
      ...(transactionsPerDay === undefined ? {} : { transactionsPerDay }),
      ...(data === undefined ? {} : { data }),
    })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE')
      throw new UsageError(
        `another program listens on port ${port}`,
        'Name another one, or leave --port out: any free one is taken then.',
      )
    if (!(error instanceof RangeError)) throw error
    throw new UsageError(error.message, 'tillage sandbox --help lists the options.')
  }
}

function chooseProfiles(listed: string | undefined): ProfileName[] {
  const names = listed === undefined ? [] : listed.split(',').map(name => name.trim())
  const unknown = names.find(name => !isProfile(name))
  if (unknown !== undefined)
    throw new UsageError(
      `there is no profile ${JSON.stringify(unknown)}`,
      `Profiles are: ${Object.keys(PROFILES).join(', ')}.`,
    )
  return names as ProfileName[]
}

function describeSandbox({ baseUrl, partnerKey, stores }: Omit<Sandbox, 'close'>): string {
  const table = formatTable(
    ['store', 'name', 'time zone', 'developer key'],
    stores.map(store => [store.id, store.name, store.timeZone, store.developerKey]),
  )
  const ready = `the sandbox is ready at ${baseUrl}\n  partner key: ${partnerKey}`
  return `${ready}\n\n${table}\n\nCtrl-C stops it.`
}

function printProfiles(terminal: Terminal): number {
  const profiles = Object.entries(PROFILES).map(([name, { does }]) => ({ name, does }))
  terminal.print(
    terminal.json
      ? JSON.stringify({ profiles })
      : formatTable(
          ['profile', 'what the sandbox does'],
          profiles.map(({ name, does }) => [name, does]),
        ),
  )
  return 0
}

const numbered = (flags: string, does: string, otherwise?: number): Option => {
  const declared = option(flags, does).argParser(wholeNumber)
  return otherwise === undefined ? declared : declared.default(otherwise)
}

export const command = declareCommand({
  options: [
    numbered('--port <number>', '0 = any free one', 0),
    numbered('--seed <number>', 'the same seed gives the same data', 1),
    numbered('--stores <number>', 'how many', 2),
    numbered('--days <number>', 'of history', 60),
    option('--until <day>', 'day after the last day of data (default: today)'),
    numbered('--transactions-per-day <number>', 'per store'),
    option('--data <file>', 'keep every change in this SQLite file, also after a restart'),
    option('--profile <names>', 'faults to simulate, see sandbox/README.md'),
    option('--list-profiles', 'list the profiles').conflicts(['data', 'profile', 'until']),
  ],
  storeless: true,
  run: sandbox,
})
