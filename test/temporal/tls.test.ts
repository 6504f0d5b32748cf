import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import type { Server } from 'node:tls'
import { NativeConnection } from '@temporalio/worker'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectTemporal } from '../../temporal/connect.ts'
import type { ConnectedTemporal } from '../../temporal/connect.ts'
import { openConnection } from '../../temporal/open-connection.ts'
import type { AddressSettings } from '../../temporal/settings.ts'
import { readTls } from '../../temporal/tls-files.ts'
import { makeAuthority } from '../helpers/certificates.ts'
import type { Authority, CertificateFiles } from '../helpers/certificates.ts'
import { ownNamespace } from '../helpers/temporal.ts'
import type { TemporalNamespace } from '../helpers/temporal.ts'

const SERVER = 'temporal.test'
let folder: string
let temporal: TemporalNamespace
let authority: Authority
let stranger: Authority
let client: CertificateFiles
let proxy: Server
let address: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tillage-tls-'))
  authority = makeAuthority(folder, 'authority')
  stranger = makeAuthority(folder, 'stranger')
  client = authority.sign('client')
  temporal = await ownNamespace()
  proxy = await startProxy(temporal.address, authority)
  address = `localhost:${(proxy.address() as AddressInfo).port}`
})
afterAll(() => {
  proxy.close()
  rmSync(folder, { recursive: true })
})

/** Ends TLS before the real server, for clients with a certificate of the authority alone. */
async function startProxy(target: string, by: Authority): Promise<Server> {
  const { cert, key } = by.sign(SERVER)
  const options = {
    ca: readFileSync(by.cert),
    cert: readFileSync(cert),
    key: readFileSync(key),
    requestCert: true,
    rejectUnauthorized: true,
    ALPNProtocols: ['h2'],
  }
  const server = createServer(options, socket => {
    const [host, port] = target.split(':')
    const inner = connect(Number(port), host)
    socket.pipe(inner).pipe(socket)
    socket.on('error', () => inner.destroy())
    inner.on('error', () => socket.destroy())
  })
  await new Promise<void>(resolve => server.listen(0, 'localhost', resolve))
  return server
}

const settings = (tls: AddressSettings['tls'], at = address): AddressSettings => ({
  kind: 'address',
  address: at,
  namespace: temporal.namespace,
  ...(tls === undefined ? {} : { tls }),
})
const trusting = (more: object = {}): object => ({
  ca: authority.cert,
  serverName: SERVER,
  ...more,
})
const reach = (tls: AddressSettings['tls'], at = address): Promise<ConnectedTemporal> =>
  connectTemporal(settings(tls, at), () => {})

describe('a Temporal server that wants certificates', () => {
  it('is reached by client and worker with the files of one', async () => {
    const { connectionOptions, close } = await reach(trusting({ ...client }))
    const { namespace } = temporal
    const connection = await openConnection(connectionOptions)
    const described = await connection.workflowService.describeNamespace({ namespace })
    expect(described.namespaceInfo?.name).toBe(namespace)
    await connection.close()
    await (await NativeConnection.connect(connectionOptions)).close()
    await close()
  })

  it.concurrent.each([
    ['without one', () => trusting(), 'it wants a certificate of ours', 'cert: FILE, key: FILE'],
    [
      'with that of a stranger',
      () => trusting({ ...stranger.sign('client-of-a-stranger') }),
      'it closed the connection when it had seen our certificate',
      'temporal.tls.cert',
    ],
    [
      'where nobody says who signed its own',
      () => ({ serverName: SERVER }),
      'signed by nobody whom this machine knows',
      'ca: FILE',
    ],
    [
      'where its own is for another name',
      () => ({ ca: authority.cert, ...client }),
      'its certificate is not for localhost',
      'serverName',
    ],
  ])('is not reached %s, and says what to do', async (_, tls, what, remedy) => {
    await expect(reach(tls())).rejects.toMatchObject({
      code: 'TEMPORAL_UNREACHABLE',
      message: expect.stringContaining(what) as string,
      remedy: expect.stringContaining(remedy) as string,
    })
  })

  it('is told from one that does not speak TLS', async () => {
    await expect(
      reach(true, temporal.address.replace('127.0.0.1', 'localhost')),
    ).rejects.toMatchObject({
      message: expect.stringContaining('it does not speak TLS') as string,
      remedy: 'set temporal.tls to false',
    })
  })
})

describe('files of certificates', () => {
  const problemsOf = (files: object): readonly string[] => {
    try {
      readTls(files)
    } catch (error) {
      const { problems, message } = error as { problems: string[]; message: string }
      expect(message).not.toContain(readFileSync(client.key, 'utf8').slice(40, 60))
      return problems
    }
    throw new Error('was accepted')
  }

  it('are refused where they are missing, no PEM, or of another kind', () => {
    const nothing = join(folder, 'nothing.pem')
    const text = join(folder, 'text.pem')
    writeFileSync(text, 'no PEM')
    expect(problemsOf({ cert: nothing, key: text, ca: client.key })).toEqual([
      `cert: ${nothing} does not exist`,
      `key: ${text} is no private key in PEM`,
      `ca: ${client.key} is no certificate in PEM`,
    ])
    expect(problemsOf({ cert: folder, key: client.key })).toEqual([
      `cert: ${folder} cannot be read (EISDIR)`,
    ])
  })

  it('are refused where the key is another one', () => {
    expect(problemsOf({ cert: client.cert, key: authority.key })).toEqual([
      `key: ${authority.key} is not the key of the certificate ${client.cert}`,
    ])
    expect(readTls({ ...client, serverName: SERVER })).toMatchObject({
      serverNameOverride: SERVER,
      clientCertPair: { crt: readFileSync(client.cert) },
    })
  })
})
