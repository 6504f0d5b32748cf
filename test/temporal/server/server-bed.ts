import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { Client, Connection } from '@temporalio/client'
import { expect, it } from 'vitest'
import { findTemporalCli } from '../../../temporal/cli/find-cli.ts'
import { useEmbeddedServer } from '../../../temporal/server/embedded-server.ts'
import type { EmbeddedServer } from '../../../temporal/server/embedded-server.ts'
import type { ProcessIdentity } from '../../../temporal/server/process-identity.ts'
import { readServerRecord, serverFolder } from '../../../temporal/server/server-folder.ts'
import type { ServerFolder } from '../../../temporal/server/server-folder.ts'
import { startChild } from '../child.ts'
import type { TalkingChild } from '../child.ts'
import { makeFolder } from '../cli/fake-programs.ts'
import { waitFor } from '../wait-for.ts'

export interface Bed {
  readonly folder: string
  readonly files: ServerFolder
  /** A use in this process. */
  readonly use: () => Promise<EmbeddedServer>
  /** A use in a process of its own, which can be told to release it and can be killed. */
  readonly startUser: () => TalkingChild
  readonly running: () => { keeper: ProcessIdentity; server: ProcessIdentity }
}

export const env: NodeJS.ProcessEnv = {
  ...process.env,
  TEMPORAL_CLI: await findTemporalCli({ progress: console.error }),
}

/**
 * The tests mostly wait for servers to start and stop, so they do it at the same time, each in a
 * folder of its own.
 */
export const inFolder = (
  title: string,
  work: (bed: Bed) => Promise<void>,
  { name = 'data', more = {} }: { name?: string; more?: NodeJS.ProcessEnv } = {},
) =>
  it.concurrent(title, async () => {
    const root = makeFolder()
    const given = { ...env, ...more }
    const folder = join(root, name)
    const files = serverFolder(folder)
    const children: TalkingChild[] = []
    try {
      await work({
        folder,
        files,
        use: () => useEmbeddedServer({ folder, progress: () => {}, env: given }),
        startUser: () => {
          const child = startChild(
            new URL('./use-server-child.ts', import.meta.url),
            [folder],
            given,
          )
          children.push(child)
          return child
        },
        running: () => {
          const record = readServerRecord(files)
          if (record === undefined) throw new Error('there is no server')
          return { keeper: record.keeper, server: record.server }
        },
      })
      // What a test leaves running is a failure, not something to tidy up in silence.
      await waitFor(
        () => readServerRecord(files) === undefined,
        'the keeper is gone and its record with it',
      )
    } finally {
      for (const child of children) child.process.kill('SIGKILL')
      rmSync(root, { recursive: true, force: true })
    }
  })

export const withClient = async <T>(address: string, work: (client: Client) => Promise<T>) => {
  const connection = await Connection.connect({ address })
  try {
    return await work(new Client({ connection }))
  } finally {
    await connection.close()
  }
}
export const startWorkflow = (address: string) =>
  withClient(address, client =>
    client.workflow.start('remembered', { workflowId: 'kept', taskQueue: 'nobody' }),
  )
export const expectWorkflow = (address: string) =>
  withClient(address, async client => {
    expect((await client.workflow.getHandle('kept').describe()).type).toBe('remembered')
    // Its lists come a moment after what they list.
    await waitFor(async () => (await idsIn(client)).includes('kept'), 'the workflow is listed')
  })
const idsIn = async (client: Client): Promise<string[]> => {
  const ids: string[] = []
  for await (const { workflowId } of client.workflow.list()) ids.push(workflowId)
  return ids
}

/** The next user has what was begun. */
export async function goOn(use: Bed['use']): Promise<void> {
  const { address, release } = await use()
  await expectWorkflow(address)
  await release()
}
