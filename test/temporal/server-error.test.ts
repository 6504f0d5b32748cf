import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, Connection, ServiceError } from '@temporalio/client'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { askWork, listOpenWork } from '../../temporal/open-work.ts'
import { asTemporalError } from '../../temporal/server-error.ts'
import { findFreePort } from '../../temporal/server/free-port.ts'

let folder: string
let database: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tillage-server-'))
  database = join(folder, 'tillage.db')
  mkdirSync(join(folder, 'temporal'))
})
afterEach(() => rmSync(folder, { recursive: true }))

it('what the server could not do is told with its reason and what to do', () => {
  const reason = Object.assign(new Error('14 UNAVAILABLE'), {
    code: 14,
    details: 'database or disk is full',
    metadata: {},
  })
  const error = new ServiceError('Failed to get Workflow execution history', { cause: reason })
  expect(asTemporalError(error, database)).toMatchObject({
    code: 'TEMPORAL_UNREACHABLE',
    message: expect.stringContaining('database or disk is full') as string,
    remedy: expect.stringContaining('disk is not full') as string,
  })
  expect(asTemporalError(new ServiceError('without a cause'), database)).toMatchObject({
    message: expect.stringContaining('without a cause') as string,
  })
})

it('what gRPC says of a server that is gone is told without the end that says nothing', () => {
  const details = 'Last error: connect ECONNREFUSED 127.0.0.1:7233. Resolution note: '
  const cause = Object.assign(new Error('14 UNAVAILABLE'), { code: 14, details, metadata: {} })
  expect(asTemporalError(new ServiceError('gone', { cause }), database)).toMatchObject({
    message: expect.stringMatching(/ECONNREFUSED 127.0.0.1:7233$/) as string,
    remedy: expect.stringContaining('removed its folder') as string,
  })
})

it('a server that is gone has one code, whichever way of the client it was asked by', async () => {
  const address = `127.0.0.1:${await findFreePort()}`
  const connection = Connection.lazy({ address, channelArgs: { 'grpc.enable_http_proxy': 0 } })
  const client = new Client({ connection, namespace: 'default' })
  try {
    const ways: (() => Promise<unknown>)[] = [
      () => listOpenWork(client),
      () => askWork(client, 'sync'),
      () => client.workflow.getHandle('sync').describe(),
    ]
    for (const ask of ways) {
      const asked = client.withDeadline(Date.now() + 100, ask)
      const error = await asked.catch((thrown: unknown) => asTemporalError(thrown, database))
      expect(error).toMatchObject({ code: 'TEMPORAL_UNREACHABLE' })
    }
  } finally {
    await connection.close()
  }
})

it('an error of somebody else stays as it is', () => {
  const bug = new TypeError('x is not a function')
  expect(asTemporalError(bug, database)).toBe(bug)
})

/** As the server of 2026 writes them, where a disk of 3 MB was full: a real line, shortened. */
const fullAt = (ms: number): string =>
  `time=${new Date(ms).toISOString().slice(0, -1)} level=ERROR ` +
  'msg="Operation failed with an error." error="database or disk is full (13)"\n'

it('a full disk is named by its own name, and not by what follows from it in the server', () => {
  const log = join(folder, 'temporal', 'temporal.log')
  const error = new ServiceError('shard status unknown')
  appendFileSync(log, fullAt(Date.now() - 600_000))
  expect(asTemporalError(error, database)).toMatchObject({ code: 'TEMPORAL_UNREACHABLE' })
  appendFileSync(log, fullAt(Date.now() - 5_000))
  expect(asTemporalError(error, database)).toMatchObject({
    code: 'DATABASE_FULL',
    message: expect.stringMatching(/temporal is full \(ENOSPC\)/) as string,
    remedy: expect.stringContaining('Free some space') as string,
  })
})
