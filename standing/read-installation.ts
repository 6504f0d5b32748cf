import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Config } from '../config.ts'
import type { Program } from '../connectors/destination/programs.ts'
import type { ReadOnlyDatabase } from '../connectors/destination/read-only.ts'
import { isServerAddress } from '../connectors/server-address.ts'
import { leftOnDisk } from '../disk.ts'
import { HEARTBEAT } from '../notify/settings.ts'
import { judgeInstallation } from './judge-installation.ts'
import type {
  DiskFacts,
  InstallationFacts,
  MissingRole,
  NotApplied,
  StrandedWork,
} from './judge-installation.ts'
import type { Notice } from './notice.ts'
import { isOfThisMachine, runningPrograms } from './running-programs.ts'
import { changedSections, hashSettings } from './settings-hash.ts'

/** Whether somebody takes up what schedules start, as whoever asks has found out. */
export interface KnownWorker {
  isUp: boolean | undefined
  /** Ids of the workflows that are under way; undefined: nobody knows. */
  open?: readonly string[]
  stranded: readonly StrandedWork[]
  missingRoles?: readonly MissingRole[]
  /** Why nobody knows: Temporal's server does not answer. */
  problem?: string
}

/** How the programs that work for a database stand, judged. */
export async function readInstallation(
  { config, database }: { config: Config; database: ReadOnlyDatabase },
  worker: KnownWorker,
): Promise<Notice[]> {
  const schedules = await database.schedules.all()
  const facts: InstallationFacts = {
    start: config.temporal === 'embedded' ? 'tillage up' : 'tillage worker',
    temporalAddress: config.temporal === 'embedded' ? undefined : config.temporal.address,
    workerIsUp: worker.isUp,
    stranded: worker.stranded,
    missingRoles: worker.missingRoles ?? [],
    isServerGone: worker.problem !== undefined,
    activeSchedules: schedules.filter(({ pausedAt }) => pausedAt === undefined).length,
    notApplied: runningPrograms(await database.programs.all())
      .filter(isOfThisMachine)
      .flatMap(program => notApplied(program, config)),
    logBytes: await database.logBytes(),
    disk: readDisk(config),
    failing: (await database.notices.failing()).filter(({ channel }) => isChannel(config, channel)),
  }
  return judgeInstallation(facts)
}

const isChannel = ({ notify }: Config, id: string): boolean =>
  notify.channels.some(channel => channel.id === id) ||
  (id === HEARTBEAT && notify.heartbeat !== undefined)

const LEAST_FREE_BYTES = 1_000_000_000
/** What SQLite's log may grow to while much is read, with room to spare. */
const LOG_OF_A_NIGHT_BYTES = 500_000_000
/** Of the database: what a night adds to it, and what its files take, is less. */
const SHARE_OF_A_NIGHT = 0.05

/**
 * What a server has left, nobody here is told; and of several machines each would tell of its own
 * disk, and take back what another one has told.
 */
function readDisk({ database, localFiles, exports }: Config): DiskFacts | undefined {
  if (isServerAddress(database)) return undefined
  const bytes = statSync(localFiles, { throwIfNoEntry: false })?.size ?? 0
  const disks: DiskFacts[] = [
    {
      holds: 'database',
      freeBytes: leftOnDisk(dirname(localFiles)) ?? 0,
      neededBytes: Math.max(LEAST_FREE_BYTES, LOG_OF_A_NIGHT_BYTES + bytes * SHARE_OF_A_NIGHT),
    },
  ]
  const ofExports = leftOnDisk(exports)
  if (ofExports !== undefined)
    disks.push({ holds: 'exports', freeBytes: ofExports, neededBytes: LEAST_FREE_BYTES })
  return disks.toSorted((one, other) => spareBytes(one) - spareBytes(other))[0]
}

const spareBytes = (disk: DiskFacts): number => disk.freeBytes - disk.neededBytes

function notApplied({ pid, at, settings, problem }: Program, config: Config): NotApplied[] {
  const sections = changedSections(settings, hashSettings(config))
  return sections.length === 0 && problem === undefined ? [] : [{ pid, at, sections, problem }]
}
