import type { RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createServer as createNetServer } from 'node:net'
import type { AddressInfo, Server } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { createPartnerClient } from '../../../connectors/partner/client.ts'
import type { PartnerClient } from '../../../connectors/partner/client.ts'
import { outcomeOf } from '../../../outbound/outcome.ts'
import { serve } from '../../reading/list-server.ts'

const clients: PartnerClient[] = []
const servers: Server[] = []

afterAll(() => {
  for (const server of servers) server.close()
  return Promise.all(clients.map(client => client.close()))
})

function clientAt(baseUrl: string): PartnerClient {
  const client = createPartnerClient({ baseUrl, partnerKey: 'partner', developerKey: 'developer' })
  clients.push(client)
  return client
}

async function listen(server: Server): Promise<string> {
  servers.push(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const answering =
  (status: number, body: string | Buffer, headers: Record<string, string> = {}): RequestListener =>
  (_, response) =>
    void response.writeHead(status, headers).end(body)

const failureOf = (client: PartnerClient, method: 'GET' | 'POST'): Promise<unknown> =>
  client.send({ method, path: '/' }).catch((cause: unknown) => cause)

/** Made for these tests: nothing trusts it, which is what it is for. */
const SELF_SIGNED = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgTFgW3Dl4OMiygoaL
zB/9kQUd5NbC4mDLevFqg3uL3RKhRANCAARXXo7Ua21B4s4vFAXXcOuekFCnEcLv
hBvvrsun0NovULEBkZyE3Izd+dwPGL9oARzc2ygKoQAlMqwX9cB8zDKE
-----END PRIVATE KEY-----`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBkDCCATagAwIBAgIUcQP8MIQWFxq4D2ZpyJbI2tkdS2MwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJMTI3LjAuMC4xMCAXDTI2MTEyMzA1MzAwOFoYDzIxMjYxMDMw
MDUzMDA4WjAUMRIwEAYDVQQDDAkxMjcuMC4wLjEwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARXXo7Ua21B4s4vFAXXcOuekFCnEcLvhBvvrsun0NovULEBkZyE3Izd
+dwPGL9oARzc2ygKoQAlMqwX9cB8zDKEo2QwYjAdBgNVHQ4EFgQUHhR67PdN6xaj
uFO3Wfap0hgL+H8wHwYDVR0jBBgwFoAUHhR67PdN6xajuFO3Wfap0hgL+H8wDwYD
VR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAABMAoGCCqGSM49BAMCA0gAMEUC
IDepl2Fs2s5XCSwdwh4issuxbfqYLp4Zq2XQn9BHPMeFAiEAhWS7nW8wkJaGvysy
Axd7dLirS6vWwF6qqaYaROdIhec=
-----END CERTIFICATE-----`,
}

describe('no connection', () => {
  it('where nothing listens is known not to have taken a write', async () => {
    for (const method of ['GET', 'POST'] as const) {
      const error = await failureOf(clientAt('http://127.0.0.1:9'), method)
      expect(error).toMatchObject({
        code: 'PARTNER_UNREACHABLE',
        message: expect.stringContaining('(connection refused, ECONNREFUSED)') as string,
        remedy: expect.stringContaining('Check baseUrl') as string,
      })
      expect(outcomeOf(error)).toMatchObject({ kind: 'not taken' })
    }
  })

  it('says what is wrong with a certificate, and nothing is sent', async () => {
    let asked = 0
    const server = createTlsServer(SELF_SIGNED, (_, response) => void response.end(`${asked++}`))
    const client = clientAt((await listen(server)).replace('http:', 'https:'))
    const error = await failureOf(client, 'POST')
    expect(error).toMatchObject({
      code: 'PARTNER_UNREACHABLE',
      message: expect.stringContaining('its certificate is signed by itself') as string,
      remedy: expect.stringContaining('NODE_EXTRA_CA_CERTS') as string,
    })
    expect(outcomeOf(error)).toMatchObject({ kind: 'not taken' })
    expect(asked).toBe(0)
  })

  it('says in words what listens instead: no TLS, no HTTP', async () => {
    const plain = await serve(answering(200, '{}'))
    await expect(clientAt(plain.replace('http:', 'https:')).get('/', {})).rejects.toThrow(
      '(no TLS is spoken there, ',
    )
    const nonsense = createNetServer(socket =>
      socket.on('error', () => {}).once('data', () => socket.end('SSH-2.0\r\n')),
    )
    const error = await failureOf(clientAt(await listen(nonsense)), 'POST')
    expect(error).toMatchObject({
      message: expect.stringContaining('(what came is no HTTP, HTTPParserError)') as string,
      remedy: expect.stringContaining('Nobody knows whether it arrived') as string,
    })
    // Whoever answers nonsense may have taken it.
    expect(outcomeOf(error)).toMatchObject({ kind: 'unknown' })
  })
})

describe('a body that is not what its Content-Encoding says', () => {
  const gzip = { 'content-encoding': 'gzip' }

  it.each([
    ['was never compressed', Buffer.from('{"values":[]}')],
    ['was cut off', gzipSync('{"values":[]}').subarray(0, 20)],
  ])('is told in words where it %s, and a write is unclear', async (_, body) => {
    const baseUrl = await serve(answering(200, body, gzip))
    for (const method of ['GET', 'POST'] as const) {
      const error = await failureOf(clientAt(baseUrl), method)
      expect(error).toMatchObject({
        code: 'PARTNER_TRUNCATED',
        message: expect.stringMatching(/is not whole gzip: .* nothing of it was used$/) as string,
      })
      expect(outcomeOf(error)).toMatchObject({ kind: 'unknown' })
    }
  })
})
