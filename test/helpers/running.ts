import { mkdtempSync, readdirSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '../../config.ts'
import type { Config } from '../../config.ts'
import { startSandbox } from '../../sandbox/server.ts'
import type { Sandbox, SandboxOptions } from '../../sandbox/server.ts'
import type { RunningWorker } from '../../temporal/session.ts'
import { startWorker } from '../../worker.ts'
import { postgresForTests } from './postgres.ts'
import { storesOf } from './project.ts'
import type { DatabaseName } from './project.ts'
import { ownNamespace } from './temporal.ts'

/**
 * A sandbox, a worker and a namespace of a real Temporal server, in this process: for workflows
 * that no command starts with such short pauses.
 */
export interface Running {
  sandbox: Sandbox
  config: Config
  worker: RunningWorker
  /** Reads `tillage.yaml` anew with other settings. */
  reconfigure(settings: object): Config
  /** Begins anew with other settings, after what is done while nothing runs. */
  restart(settings: object, between: (next: Config) => Promise<void>): Promise<void>
  exported(): string[]
  close(): Promise<void>
}

/** What tillage.yaml says of a new database of this kind. */
export const databaseSettings = async (database: DatabaseName): Promise<{ database?: string }> =>
  database === 'PostgreSQL' ? { database: (await postgresForTests()).url } : {}

export async function startRunning(
  options: SandboxOptions = {},
  settings: object = {},
): Promise<Running> {
  const sandbox = await startSandbox({
    days: 12,
    until: '2026-03-15',
    transactionsPerDay: 20,
    stores: 1,
    ...options,
  })
  const temporal = await ownNamespace()
  const folder = mkdtempSync(join(tmpdir(), 'tillage-running-'))
  const file = join(folder, 'tillage.yaml')
  const reconfigure = (more: object): Config => {
    writeFileSync(file, JSON.stringify({ stores: storesOf(sandbox), temporal, ...more }))
    return loadConfig(file)
  }
  const start = async (config: Config): Promise<Pick<Running, 'config' | 'worker'>> => {
    const worker = await startWorker(config, () => {})
    await worker.carryOutWrites()
    return { config, worker }
  }
  const running: Running = {
    sandbox,
    ...(await start(reconfigure(settings))),
    reconfigure,
    async restart(others, between) {
      await running.worker.close()
      const next = reconfigure(others)
      await between(next)
      Object.assign(running, await start(next))
    },
    exported: () => filesIn(running.config.exports),
    async close() {
      await running.worker.close()
      await sandbox.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return running
}

const filesIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter(entry => entry.isFile() && !entry.name.startsWith('.'))
        .map(({ name }) => name)
    : []
