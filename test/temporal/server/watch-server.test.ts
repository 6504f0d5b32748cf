import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkNamespace } from '../../../temporal/check-namespace.ts'
import { readServerRecord, serverFolder } from '../../../temporal/server/server-folder.ts'
import { useWatchedServer } from '../../../temporal/server/watch-server.ts'
import { waitFor } from '../../helpers/project.ts'

test('a server that is killed with its keeper is started again on the same port while it is used', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tillage-watched-'))
  const said: string[] = []
  const server = await useWatchedServer({ folder, progress: line => said.push(line) })
  try {
    const lost = readServerRecord(serverFolder(folder))!
    process.kill(lost.keeper.pid, 'SIGKILL')
    process.kill(lost.server!.pid, 'SIGKILL')
    await waitFor(() => {
      const record = readServerRecord(serverFolder(folder))
      return record?.server !== undefined && record.server.pid !== lost.server!.pid
    }, 'another server')
    const { address } = readServerRecord(serverFolder(folder))!
    expect(address).toBe(server.address)
    await waitFor(
      () =>
        checkNamespace({ address }, 'default', 5_000).then(
          () => true,
          () => false,
        ),
      'it to answer',
    )
    expect(said).toContain("Temporal's server and its keeper are gone; starting them again")
  } finally {
    await server.release()
    expect(readServerRecord(serverFolder(folder))).toBeUndefined()
    rmSync(folder, { recursive: true, force: true })
  }
})
