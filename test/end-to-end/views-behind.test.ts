import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runProgram } from '../../program.ts'
import { postgresForTests } from '../helpers/postgres.ts'
import { startProject, storesOf } from '../helpers/project.ts'

/** A way to a server that can be cut off. */
async function startProxy(serverPort: string): Promise<{ port: number; cut(): void }> {
  const sockets = new Set<Socket>()
  const proxy = createServer(client => {
    const server = connect(Number(serverPort), '127.0.0.1')
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket.on('error', () => {})
    }
    client.pipe(server).pipe(client)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const cut = (): void => {
    proxy.close()
    for (const socket of sockets) socket.destroy()
  }
  onTestFinished(cut)
  return { port: (proxy.address() as AddressInfo).port, cut }
}

test('a database that is away once all is read leaves the views behind, and the sync is proven', async () => {
  const { sandbox, project, close } = await startProject({ days: 3, transactionsPerDay: 5 })
  onTestFinished(close)
  const address = new URL((await postgresForTests()).url)
  const proxy = await startProxy(address.port)
  address.port = String(proxy.port)
  project.configure(storesOf(sandbox).slice(0, 1), { database: address.href })
  let [stdout, stderr] = ['', '']
  const streams = {
    stdout: {
      write: (text: unknown) => {
        stdout += String(text)
        if (/windows? proven in/.test(stdout)) proxy.cut()
        return true
      },
    },
    stderr: { write: (text: unknown) => ((stderr += String(text)), true) },
  }
  const args = ['--config', join(project.folder, 'tillage.yaml'), 'sync', 'transactions']
  const days = ['--from', '2026-03-13', '--to', '2026-03-15']
  const status = await runProgram({
    args: [...args, ...days],
    streams,
    signal: new AbortController().signal,
  })
  expect(stderr).toContain('DATABASE_UNREACHABLE')
  expect(stderr).toContain('tillage books refresh')
  expect(status).toBe(0)
})
