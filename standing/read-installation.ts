import { hostname } from 'node:os'
import type { Config } from '../config.ts'
import type { Program } from '../connectors/destination/programs.ts'
import type { ReadOnlyDatabase } from '../connectors/destination/read-only.ts'
import { isRunning } from '../temporal/server/process-identity.ts'
import { judgeInstallation } from './judge-installation.ts'
import type { InstallationFacts, NotApplied } from './judge-installation.ts'
import type { Notice } from './notice.ts'
import { changedSections, hashSettings } from './settings-hash.ts'

/** Whether somebody takes up what schedules start, as whoever asks has found out. */
export interface KnownWorker {
  isUp: boolean | undefined
  stranded: readonly { workflowId: string }[]
  isGone?: boolean
}

/** How the programs that work for a database stand, judged. */
export async function readInstallation(
  { config, database }: { config: Config; database: ReadOnlyDatabase },
  worker: KnownWorker,
): Promise<Notice[]> {
  const schedules = await database.schedules.all()
  const facts: InstallationFacts = {
    start: config.temporal === 'embedded' ? 'tillage up' : 'tillage worker',
    workerIsUp: worker.isUp,
    stranded: worker.stranded,
    isServerGone: worker.isGone === true,
    activeSchedules: schedules.filter(({ pausedAt }) => pausedAt === undefined).length,
    notApplied: (await database.programs.all()).flatMap(program => notApplied(program, config)),
    logBytes: database.logBytes(),
  }
  return judgeInstallation(facts)
}

/** Of other machines nobody knows here whether their programs still run. */
function notApplied(program: Program, config: Config): NotApplied[] {
  const { machine, pid, processStarted, at, settings, problem } = program
  const identity = processStarted === '' ? { pid } : { pid, startedAt: processStarted }
  if (machine !== hostname() || !isRunning(identity)) return []
  const sections = changedSections(settings, hashSettings(config))
  return sections.length === 0 && problem === undefined ? [] : [{ pid, at, sections, problem }]
}
