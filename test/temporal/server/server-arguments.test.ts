import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { request } from 'node:http'
import { beforeAll, expect, it } from 'vitest'
import { findTemporalCli } from '../../../temporal/cli/find-cli.ts'
import { checkNamespace } from '../../../temporal/open-connection.ts'
import { findFreePort } from '../../../temporal/server/free-port.ts'
import { serverArguments } from '../../../temporal/server/server-arguments.ts'
import { makeFolder } from '../cli/fake-programs.ts'
import { waitFor } from '../wait-for.ts'

let cli: string
beforeAll(async () => {
  cli = await findTemporalCli({ progress: console.error })
})

interface Ports {
  readonly grpc: number
  readonly http: number
}

/** The server as we start it, but for the port of its HTTP API, which it chooses by chance. */
async function withServer(
  change: (args: string[]) => string[],
  work: (ports: Ports) => Promise<void>,
): Promise<void> {
  const folder = makeFolder()
  const grpc = await findFreePort()
  const http = await findFreePort()
  const args = [...change(serverArguments(grpc, undefined)), '--http-port', String(http)]
  const server = spawn(cli, args, { cwd: folder, stdio: 'ignore' })
  const ended = once(server, 'exit')
  const answers = (): Promise<boolean> =>
    checkNamespace({ address: `127.0.0.1:${grpc}` }, 'default', 2_000).then(
      () => true,
      () => false,
    )
  const hasEnded = (): boolean => server.exitCode !== null
  try {
    await waitFor(async () => hasEnded() || answers(), 'the server to answer')
    if (!hasEnded()) return await work({ grpc, http })
  } finally {
    server.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  // Somebody else has taken one of its ports meanwhile.
  return withServer(change, work)
}

/** What a browser sends for a page of that host; answers the status, or why there is none. */
const ask = async (port: number, host: string): Promise<number | string> =>
  new Promise(resolve => {
    const headers = { host, origin: `http://${host}` }
    const path = '/api/v1/namespaces/default/workflows'
    request({ host: '127.0.0.1', port, path, headers }, response => {
      response.resume()
      resolve(response.statusCode!)
    })
      .once('error', error => resolve(error.message))
      .end()
  })

/** A page that was bound to this machine anew, and what the server calls itself. */
const hostsOf = ({ http }: Ports): string[] => [
  'attacker.example',
  `attacker.example:${http}`,
  `127.0.0.1:${http}`,
  `localhost:${http}`,
  'nohost',
  'no%20host',
]

it('answers no web page, whichever host name it is called by', async () => {
  await withServer(
    args => args,
    async ports => {
      for (const host of hostsOf(ports)) expect(await ask(ports.http, host), host).toBe(403)
      expect(await ask(ports.http, 'no host')).toBe(400)
      expect(await ask(ports.grpc, 'attacker.example')).not.toBe(200)
    },
  )
})

it('would answer each of them without the setting', async () => {
  const withoutHosts = (args: string[]): string[] => {
    const at = args.findIndex(arg => arg.startsWith('frontend.httpAllowedHosts'))
    return args.toSpliced(at - 1, 2)
  }
  await withServer(withoutHosts, async ports => {
    for (const host of hostsOf(ports)) expect(await ask(ports.http, host), host).toBe(200)
  })
})
