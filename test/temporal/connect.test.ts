import { rmSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { Connection } from '@temporalio/client'
import { NativeConnection } from '@temporalio/worker'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { TemporalError } from '../../errors.ts'
import { connectTemporal } from '../../temporal/connect.ts'
import type { ConnectedTemporal } from '../../temporal/connect.ts'
import { openConnection, reach } from '../../temporal/open-connection.ts'
import type { TemporalSettings } from '../../temporal/settings.ts'
import { makeFolder } from './cli/fake-programs.ts'

const SECRET = 'a-key-that-nobody-may-see'
let folder: string
let embedded: ConnectedTemporal

beforeAll(async () => {
  folder = makeFolder()
  embedded = await connectTemporal({ kind: 'embedded', folder }, console.error)
})
afterAll(async () => {
  await embedded.close()
  rmSync(folder, { recursive: true, force: true })
})

const failure = async (settings: TemporalSettings) => {
  const error: unknown = await connectTemporal(settings, () => {}).catch(
    (reason: unknown) => reason,
  )
  if (!(error instanceof TemporalError))
    throw new Error(`expected a TemporalError, got ${String(error)}`)
  expect(error.code).toBe('TEMPORAL_UNREACHABLE')
  return error
}

it('gives options that the client and the worker both connect with', async () => {
  const { address, namespace, connectionOptions, close } = await connectTemporal(
    { kind: 'address', address: embedded.address, namespace: embedded.namespace },
    () => {},
  )
  expect({ address, namespace }).toEqual({ address: embedded.address, namespace: 'default' })
  for (const options of [connectionOptions, embedded.connectionOptions]) {
    const connection = await Connection.connect(options)
    await connection.workflowService.describeNamespace({ namespace })
    await connection.close()
    const native = await NativeConnection.connect(options)
    await native.close()
  }
  await close()
})

it.concurrent('says which address does not answer, without the key', async () => {
  const error = await failure({
    kind: 'address',
    address: '127.0.0.1:1',
    namespace: 'default',
    apiKey: SECRET,
    tls: false,
  })
  expect(error.message).toContain(
    '127.0.0.1:1 does not answer (without TLS, with an API key): ECONNREFUSED',
  )
  expect(error.remedy).toContain('temporal.address')
  expect(JSON.stringify([error.message, error.stack, error.remedy, error.cause])).not.toContain(
    SECRET,
  )
})

it.concurrent('uses TLS for a key unless told otherwise, and says so when the server does not speak it', async () => {
  const error = await failure({
    kind: 'address',
    address: embedded.address.replace('127.0.0.1', 'localhost'),
    namespace: 'default',
    apiKey: SECRET,
  })
  expect(error.message).toContain('(with TLS, with an API key): it does not speak TLS')
  expect(JSON.stringify([error.message, error.stack, error.remedy, error.cause])).not.toContain(
    SECRET,
  )
})

it('reaches a server on this machine past the proxy of the environment', async () => {
  vi.stubEnv('http_proxy', 'http://127.0.0.1:1')
  try {
    const { address, namespace } = embedded
    const { close } = await connectTemporal({ kind: 'address', address, namespace }, () => {})
    await close()
  } finally {
    vi.unstubAllEnvs()
  }
})

it('says that the namespace does not exist', async () => {
  const error = await failure({ kind: 'address', address: embedded.address, namespace: 'nowhere' })
  expect(error.message).toContain('no namespace "nowhere"')
  expect(error.remedy).toContain('temporal.namespace')
})

it.concurrent('a server that took no connection after all is an error with a remedy, not of the SDK', async () => {
  const silent = createServer(() => {})
  await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve))
  const address = `127.0.0.1:${(silent.address() as AddressInfo).port}`
  const error: unknown = await reach(address, () =>
    openConnection({ address, connectTimeout: 200 }),
  ).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(TemporalError)
  expect(error).toMatchObject({
    code: 'TEMPORAL_UNREACHABLE',
    message: expect.stringContaining(`${address} answered, and then took no connection`) as string,
    remedy: expect.stringContaining('again') as string,
  })
  silent.close()
})
