import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { isRunning } from '../../../temporal/server/process-identity.ts'
import {
  embeddedFolder,
  isEmbeddedInUse,
  readServerRecord,
  serverFolder,
} from '../../../temporal/server/server-folder.ts'
import { startChild } from '../child.ts'
import { makeFolder } from '../cli/fake-programs.ts'
import { waitFor } from '../wait-for.ts'

/** Pids of its own, as a container has them. */
const UNSHARE = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child'] as const
const [program, ...options] = UNSHARE
const hasNamespaces = spawnSync(program, [...options, 'true']).status === 0

const script = new URL('./use-server-child.ts', import.meta.url)

it.runIf(hasNamespaces)(
  'two containers with one folder: the second is refused while the first works, and not after it',
  async () => {
    const root = makeFolder()
    const database = join(root, 'tillage.db')
    const files = serverFolder(embeddedFolder(database))
    const elsewhere = () => {
      const args = [...options, process.execPath, fileURLToPath(script), files.folder]
      return spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] })
    }
    const first = startChild(script, [files.folder])
    try {
      await first.hear('address')
      const { server } = readServerRecord(files)!
      const refused = elsewhere()
      const [said] = await Promise.all([text(refused.stderr), once(refused, 'exit')])
      expect(said).toContain('another Temporal server works on')
      expect(said).toContain('DATABASE_BUSY')
      // The first one goes on.
      expect(readServerRecord(files)?.server).toEqual(server)
      expect(isRunning(server)).toBe(true)

      first.tell('release')
      await first.exited()
      const second = elsewhere()
      await once(second.stdout, 'data')
      await waitFor(() => isEmbeddedInUse(database), 'the other container is seen from here')
      second.stdin.write('release\n')
      await once(second, 'exit')
      expect(isEmbeddedInUse(database)).toBe(false)
    } finally {
      first.process.kill('SIGKILL')
      rmSync(root, { recursive: true, force: true })
    }
  },
)
