import { realpathSync } from 'node:fs'
import { bringIfPossible } from '../../books/bring-exports.ts'
import type { Config } from '../../config.ts'
import { STANDARD_INPUT } from '../../config/source.ts'
import { readAuditLog } from '../../connectors/database.ts'
import { CommandRuns } from '../../console/actions/run-command.ts'
import type { PagePlace } from '../../console/page.ts'
import type { Remembered } from '../../console/served.ts'
import { startConsole } from '../../console/server.ts'
import type { Console } from '../../console/server.ts'
import { Sessions } from '../../console/sessions.ts'
import { issueTicket } from '../../console/tickets.ts'
import { WrongPasswords } from '../../console/wrong-passwords.ts'
import { recordAct } from '../../record-act.ts'
import { rememberWorker } from '../status/remember-worker.ts'
import { askWorker } from '../status/worker-is-up.ts'
import type { WorkerStanding } from '../status/worker-is-up.ts'
import { keepOpen } from './keep-open.ts'

export interface ServedConsole extends Console {
  /** Where somebody signs in; without users, it works once. */
  signIn: string
}

/** What serves it. */
export interface ServedBy {
  /** As whoever works knows it; without, Temporal is asked. */
  worker?: () => WorkerStanding
  /** The program's own file: that of this process. */
  program?: string
  /** By whose program it is served again; without, what it knows ends with it. */
  remembered?: Remembered
}

/** For a console that is served again where these settings change. */
export function rememberPeople(
  { file: configFile, written }: Config,
  program: string = realpathSync(process.argv[1]!),
): Remembered {
  const input = configFile === STANDARD_INPUT ? { input: written.text } : {}
  return {
    sessions: new Sessions(),
    wrongPasswords: new WrongPasswords(),
    commands: new CommandRuns({ program, configFile, ...input }),
  }
}

/** Serves the pages by these settings. */
export async function serveConsole(
  config: Config,
  { worker, program, remembered }: ServedBy = {},
): Promise<ServedConsole> {
  const kept = keepOpen(config)
  const askTemporal = async (): Promise<WorkerStanding> =>
    askWorker(config, await kept.with(async database => database.identity))
  const knownWorker = worker ?? rememberWorker(askTemporal, { isUp: undefined, stranded: [] })
  const people = remembered ?? rememberPeople(config, program)
  const { commands } = people
  const notedActs: PagePlace['notedActs'] = async act =>
    (await kept.with(() => readAuditLog(config.database))).entries
      .filter(entry => entry.act === act)
      .map(({ detail }) => JSON.parse(detail) as Readonly<Record<string, unknown>>)
  const console = await startConsole({
    config,
    ...people,
    async noteAct(act, detail) {
      await kept.refuseBusy()
      await recordAct(config.database, act, detail)
    },
    notedActs,
    withDatabase: read => kept.with(read),
    withPlace: read =>
      kept.with(async database => {
        await bringIfPossible(config, database.givenOut)
        const { outbound } = database
        const known = { config, commands, notedActs, worker: knownWorker() }
        return read({ ...known, database, outbound })
      }),
  })
  return {
    ...console,
    signIn: signInAddress(config, console.url),
    async close() {
      if (remembered === undefined) commands.close()
      await console.close()
      await kept.close()
    },
  }
}

/** With users it is the same for everybody; without, it has a ticket that works once. */
export const signInAddress = ({ console: { users }, localFiles }: Config, url: string): string =>
  users.length > 0 ? `${url}/sign-in` : `${url}/sign-in?ticket=${issueTicket(localFiles)}`
