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
  const config = reconfigure(settings)
  const worker = await startWorker(config, () => {})
  await worker.carryOutWrites()
  return {
    sandbox,
    config,
    worker,
    reconfigure,
    exported: () =>
      existsSync(config.exports)
        ? readdirSync(config.exports, { recursive: true, withFileTypes: true })
            .filter(entry => entry.isFile() && !entry.name.startsWith('.'))
            .map(({ name }) => name)
        : [],
    async close() {
      await worker.close()
      await sandbox.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
