import { execFile, spawn } from 'node:child_process'
import type { ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { databaseFiles } from '../../../disk.ts'
import { TemporalError } from '../../../errors.ts'
import { isFileLocked } from '../../../file-lock.ts'
import { useEmbeddedServer } from '../../../temporal/server/embedded-server.ts'
import { isRunning } from '../../../temporal/server/process-identity.ts'
import type { ProcessIdentity } from '../../../temporal/server/process-identity.ts'
import { readServerRecord, serverFolder } from '../../../temporal/server/server-folder.ts'
import { makeFolder, writeProgram } from '../cli/fake-programs.ts'
import { waitFor } from '../wait-for.ts'
import { env, expectWorkflow, goOn, inFolder, startWorkflow, withClient } from './server-bed.ts'
import type { Bed } from './server-bed.ts'

const yesOrNo = [() => true, () => false] as const

inFolder(
  'gives commands that start together one server, which outlives the first and stops with the last',
  async ({ startUser, running }) => {
    const [first, second, third] = [startUser(), startUser(), startUser()]
    const addresses = await Promise.all([first, second, third].map(user => user.hear('address')))
    expect(new Set(addresses).size).toBe(1)
    const { keeper, server } = running()

    // Whichever started it: the others go on.
    for (const user of [first, second]) {
      user.tell('release')
      await user.exited()
      await withClient(addresses[0]!, client => client.workflowService.getSystemInfo({}))
    }
    third.tell('release')
    await third.hear('released')
    expect(isRunning(server)).toBe(false)
    // It closes its connections by ending: they may be closed a moment before it is gone.
    await waitFor(() => !isRunning(keeper), 'the keeper is gone')
    await third.exited()
  },
)

inFolder(
  'stops the server when its last user is killed, and keeps the workflows for the next',
  async ({ use, startUser, running }) => {
    const killed = startUser()
    await startWorkflow(await killed.hear('address'))
    const { keeper, server } = running()
    killed.process.kill('SIGKILL')
    await waitFor(() => !isRunning(server) && !isRunning(keeper), 'server and keeper are gone')
    await goOn(use)
  },
)

inFolder('counts two uses in one process', async ({ use, running }) => {
  const [first, second] = await Promise.all([0, 1].map(() => use()))
  expect(second!.address).toBe(first!.address)
  const { server } = running()
  await first!.release()
  await first!.release()
  expect(isRunning(server)).toBe(true)
  await second!.release()
  expect(isRunning(server)).toBe(false)
})

inFolder(
  'gives the next user the old workflows after the server was killed',
  async ({ use, startUser, running }) => {
    const user = startUser()
    await startWorkflow(await user.hear('address'))
    const { server } = running()
    process.kill(server.pid, 'SIGKILL')

    const next = await use()
    expect(running().server).not.toEqual(server)
    await expectWorkflow(next.address)
    user.tell('release')
    await user.hear('released')
    await next.release()
  },
)

inFolder(
  'starts a server that had been working again on its port when it is killed, so that its users go on',
  async ({ files, use, running }) => {
    const { address, release } = await use()
    const startedAt = Date.now()
    await withClient(address, async client => {
      await client.workflow.start('remembered', { workflowId: 'kept', taskQueue: 'nobody' })
      const { keeper, server } = running()
      await waitFor(
        () => Date.now() - startedAt > 2_500,
        'the server is old enough not to count as broken',
      )
      process.kill(server.pid, 'SIGKILL')
      await waitFor(
        () => (readServerRecord(files)?.server?.pid ?? server.pid) !== server.pid,
        'there is a new server',
      )
      expect((await client.workflow.getHandle('kept').describe()).type).toBe('remembered')
      expect(running().keeper).toEqual(keeper)
    })
    await release()
  },
)

inFolder(
  'replaces a server whose keeper was killed, on its port, so that its users go on',
  async ({ use, startUser, running }) => {
    const user = startUser()
    const address = await user.hear('address')
    await startWorkflow(address)
    const { keeper, server } = running()
    process.kill(keeper.pid, 'SIGKILL')
    await waitFor(() => !isRunning(keeper), 'the keeper is gone')

    const next = await use()
    expect(isRunning(server)).toBe(false)
    expect(next.address).toBe(address)
    await expectWorkflow(address)
    await next.release()
    expect(isRunning(running().server)).toBe(true)
    user.tell('release')
    await user.hear('released')
  },
)

inFolder(
  'leaves no server behind when its keeper was killed and the last user releases it',
  async ({ use, running }) => {
    const { release } = await use()
    const { keeper, server } = running()
    process.kill(keeper.pid, 'SIGKILL')
    await waitFor(() => !isRunning(keeper), 'the keeper is gone')
    await release()
    expect(isRunning(server)).toBe(false)
  },
)

inFolder('ends with its keeper where that is told to end', async ({ use, running }) => {
  const { release } = await use()
  const { keeper, server } = running()
  process.kill(keeper.pid, 'SIGTERM')
  await waitFor(() => !isRunning(keeper) && !isRunning(server), 'keeper and server are gone')
  await release()
})

inFolder(
  'is started again on its port while it is used, where it was killed with its keeper',
  async ({ files, folder, running }) => {
    const said: string[] = []
    const { address, release } = await useEmbeddedServer({
      folder,
      progress: line => said.push(line),
      env,
    })
    await startWorkflow(address)
    const { keeper, server } = running()
    process.kill(keeper.pid, 'SIGKILL')
    process.kill(server.pid, 'SIGKILL')
    await waitFor(
      () => (readServerRecord(files)?.server.pid ?? server.pid) !== server.pid,
      'there is a new server',
    )
    await waitFor(() => expectWorkflow(address).then(...yesOrNo), 'it answers on the same port')
    expect(said).toContain("Temporal's server is gone; starting it again")
    await release()
  },
)

/** Answers the server that was left. */
async function killOthers({ startUser, running }: Bed): Promise<ProcessIdentity> {
  const user = startUser()
  await startWorkflow(await user.hear('address'))
  const { keeper, server } = running()
  // Or it sees that the last user is gone, in the moment before it is killed itself.
  process.kill(keeper.pid, 'SIGSTOP')
  for (const pid of [user.process.pid!, keeper.pid]) process.kill(pid, 'SIGKILL')
  await waitFor(() => !isRunning(keeper), 'the keeper is gone')
  await user.exited()
  return server
}

if (process.platform === 'linux')
  inFolder('ends with its keeper, where all are killed but the server', async bed => {
    const server = await killOthers(bed)
    await waitFor(() => !isRunning(server), 'the server is gone')
    await goOn(bed.use)
  })

/** Nothing of the system's there: no `setpriv`, which binds a server to its keeper. */
const UNBOUND = { more: { PATH: '' } }

inFolder(
  'is ended by the next user, where it alone was left of all that were killed',
  async bed => {
    const server = await killOthers(bed)
    expect(isRunning(server)).toBe(true)
    await goOn(bed.use)
    expect(isRunning(server)).toBe(false)
  },
  UNBOUND,
)

inFolder(
  'ends when its folder is removed, although a command uses it still',
  async ({ folder, startUser, running }) => {
    const user = startUser()
    await user.hear('address')
    const { keeper, server } = running()
    // The server goes on writing meanwhile.
    rmSync(folder, { recursive: true, maxRetries: 20 })
    await waitFor(() => !isRunning(keeper) && !isRunning(server), 'keeper and server are gone')
    expect(existsSync(folder)).toBe(false)
  },
)

/** Its first user lives as long as its standard input. */
function startKeeper(folder: string): ChildProcessByStdio<Writable, null, null> {
  const script = fileURLToPath(new URL('../../../temporal/server/keeper.ts', import.meta.url))
  const program = [script, folder, env['TEMPORAL_CLI']!]
  return spawn(process.execPath, program, { stdio: ['pipe', 'ignore', 'ignore'] })
}

inFolder(
  'is not started for a command that was killed while it waited for it',
  async ({ folder, files }) => {
    mkdirSync(folder)
    const keeper = startKeeper(folder)
    keeper.stdin.end()
    expect(await once(keeper, 'exit')).toEqual([0, null])
    expect(isFileLocked(files.lock)).toBe(false)
  },
)

inFolder(
  'is made anew where it was killed while it made its tables, since nobody had begun anything',
  async ({ folder, files, use, running }) => {
    mkdirSync(folder)
    const keeperProcess = startKeeper(folder)
    await waitFor(() => existsSync(files.database), 'the server makes its database')
    const { keeper, server } = running()
    for (const { pid } of [keeper, server]) process.kill(pid, 'SIGKILL')
    await once(keeperProcess, 'exit')
    await waitFor(() => !isRunning(server), 'the server is gone')
    makeHalf(files.database)

    const { address, release } = await use()
    await startWorkflow(address)
    await release()
    await waitFor(() => readServerRecord(files) === undefined, 'the keeper is gone')
    await goOn(use)
  },
)

/** As a kill in the first moments leaves it: with some tables of many. */
function makeHalf(path: string): void {
  for (const file of databaseFiles(path)) rmSync(file, { force: true })
  const database = new Database(path)
  database.exec('CREATE TABLE one_of_many (id)')
  database.close()
}

inFolder(
  'keeps the database inside a folder whose name means something in a URL',
  async ({ files, use }) => {
    const { address, release } = await use()
    await startWorkflow(address)
    await release()
    expect(existsSync(files.database)).toBe(true)
  },
  { name: 'what? 100% of #1' },
)

it.concurrent('says that the disk is full where its database has no room', async () => {
  const folder = makeFolder()
  const child = fileURLToPath(new URL('./use-server-child.ts', import.meta.url))
  const { stderr } = await promisify(execFile)(
    'bash',
    ['-c', 'ulimit -f 100; exec "$0" "$@"', process.execPath, child, folder],
    { env },
  ).catch((error: unknown) => error as { stderr: string })
  expect(stderr).toContain("code: 'DATABASE_FULL'")
  expect(stderr).toContain('ulimit -f')
  expect(readServerRecord(serverFolder(folder))).toBeUndefined()
  rmSync(folder, { recursive: true, force: true })
})

const USER = fileURLToPath(new URL('./use-server-child.ts', import.meta.url))
const isRoot = process.getuid?.() === 0
const NOBODY = { uid: 65_534 }

it.concurrent('names a folder that may not be written, whose files may', async () => {
  const root = makeFolder()
  const folder = join(root, 'data')
  mkdirSync(folder)
  writeFileSync(serverFolder(folder).log, '')
  chmodSync(root, 0o755)
  chmodSync(serverFolder(folder).log, 0o666)
  chmodSync(folder, 0o555)
  const { stderr } = await promisify(execFile)(process.execPath, [USER, folder], {
    env,
    ...(isRoot ? NOBODY : {}),
  }).catch((error: unknown) => error as { stderr: string })
  expect(stderr).toContain(`EACCES: permission denied, access '${folder}'`)
  rmSync(root, { recursive: true, force: true })
})

if (isRoot)
  inFolder('is there for whoever may not write its folder, too', async ({ folder, use }) => {
    const { address, release } = await use()
    chmodSync(dirname(folder), 0o755)
    const other = promisify(execFile)(process.execPath, [USER, folder], { env, ...NOBODY })
    other.child.stdin!.end('release\n')
    expect((await other).stdout).toContain(address)
    await release()
  })

inFolder('quotes the log when the database is not one', async ({ files, use }) => {
  const { release } = await use()
  await release()
  for (const file of databaseFiles(files.database)) rmSync(file, { force: true })
  writeFileSync(files.database, 'these are not the pages that you are looking for'.repeat(100))
  const error: unknown = await use().catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(TemporalError)
  expect((error as TemporalError).code).toBe('TEMPORAL_UNREACHABLE')
  expect((error as TemporalError).message).toContain('file is not a database')
  expect((error as TemporalError).remedy).toContain(files.database)
})

inFolder('says at once what a server said that ends right after its start', async ({ folder }) => {
  const cli = writeProgram(
    join(folder, 'temporal'),
    '[ "$1" = --version ] && echo "temporal version 0" && exit 0; echo "unknown flag: --headless" >&2; exit 1',
  )
  const failing = useEmbeddedServer({
    folder,
    progress: () => {},
    env: { ...env, TEMPORAL_CLI: cli },
  })
  await expect(failing).rejects.toThrow(/ended before it answered[^]*unknown flag: --headless/)
})
