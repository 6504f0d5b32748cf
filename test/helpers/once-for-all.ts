import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { createTerminal } from '../../commands/terminal/create-terminal.ts'
import { isFileLocked } from '../../file-lock.ts'
import { findTemporalCli } from '../../temporal/cli/find-cli.ts'
import { readServerRecord, serverFolder } from '../../temporal/server/server-folder.ts'
import { findWorkflowCode } from '../../temporal/workflow-code.ts'
import { waitFor } from '../temporal/wait-for.ts'
import { LONG_FILES, PARTS, leftOutBy, partOfRun } from './long-files.ts'
import { findObjectServer } from './object-server.ts'
import { endServer, newServerFolder } from './postgres-server.ts'
import { buildProgram } from './program.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Of the server that test files share (`ownNamespace`). */
    temporalFolder: string
    /** Of the PostgreSQL server that test files share (`postgresForTests`). */
    postgresFolder: string
  }
}

/** What tests leave behind goes with their run: hundreds of folders, some gigabytes. */
function makeTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tillage-'))
  // A server of PostgreSQL that has a user of its own finds its files there.
  chmodSync(folder, 0o755)
  process.env['TMPDIR'] = folder
  return folder
}

/** With each commit a part of the long files is played: which, for whoever reads the output. */
function sayWhatIsPlayed({ vite }: TestProject): void {
  const part = partOfRun(vite.config.mode)
  if (part === undefined) return
  const played = LONG_FILES.length - leftOutBy(part).length
  process.stderr.write(
    `Plays ${played} of ${LONG_FILES.length} long test files, part ${part + 1} of ${PARTS}, as the ` +
      'hash of the commit says, and all others. Everything: npm run test:all\n',
  )
}

/**
 * Once, before any test: on a new machine servers are downloaded or built, which takes minutes
 * and no test's time; the workflows and the program that tests start are bundled, where their
 * sources have changed. Once after all: the shared server ends.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  sayWhatIsPlayed(project)
  const { progress, end } = createTerminal(false, process)
  await findTemporalCli({ progress })
  end()
  await findWorkflowCode()
  await buildProgram()
  project.onTestsRerun(buildProgram)
  await findObjectServer()
  const folder = mkdtempSync(join(tmpdir(), 'tillage-temporal-'))
  project.provide('temporalFolder', folder)
  const postgres = newServerFolder()
  project.provide('postgresFolder', postgres)
  const temporary = makeTemporaryFolder()
  return async () => {
    endServer(postgres)
    const files = serverFolder(folder)
    const keeper = readServerRecord(files)?.keeper.pid
    if (keeper !== undefined) process.kill(keeper)
    await waitFor(() => !isFileLocked(files.lock), 'the shared Temporal server to end')
    for (const each of [folder, temporary])
      rmSync(each, { recursive: true, force: true, maxRetries: 3 })
  }
}
