/** A real server of object storage for tests, behind a line on which a test can do harm. */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { createServer, request as sendRequest } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeEach, onTestFinished, vi } from 'vitest'
import { withFileLock } from '../../file-lock.ts'
import { objectPlace } from '../../objects/place.ts'
import type { ObjectPlace } from '../../objects/place.ts'
import { resolveCacheFolder } from '../../temporal/cli/cache-folder.ts'
import { runCommand } from '../../temporal/cli/run-command.ts'
import { waitFor } from '../temporal/wait-for.ts'

const VERSION = 'v1.2.0'
const MODULE = `github.com/johannesboyne/gofakes3/cmd/gofakes3@${VERSION}`
const BUILD_MS = 10 * 60_000

/** The program, built once for each cache, as Temporal's is. Not to be had: says what to do. */
export async function findObjectServer(): Promise<string> {
  const folder = join(resolveCacheFolder(process.env), 'gofakes3', VERSION)
  const program = join(folder, process.platform === 'win32' ? 'gofakes3.exe' : 'gofakes3')
  if (existsSync(program)) return program
  mkdirSync(folder, { recursive: true })
  return withFileLock(
    join(folder, 'building'),
    () => {},
    async () => {
      if (existsSync(program)) return program
      const env = { ...process.env, GOBIN: folder, GOWORK: 'off', CGO_ENABLED: '0' }
      const built = await runCommand('go', ['install', MODULE], { env, timeoutMs: BUILD_MS })
      if (built.ok) return program
      throw new Error(
        `the server of object storage for tests could not be built: ${built.problem}\n` +
          `Install Go (https://go.dev/dl), so that "go install ${MODULE}" works.`,
      )
    },
  )
}

/** What happens to a request; `pass` it reaches the server and is answered. */
export type Happening =
  | 'pass'
  /** Nothing of it arrives. */
  | 'cut'
  /** It arrives, this is called, and its answer is lost. */
  | (() => void)
  /** Its answer breaks off in the middle of the body. */
  | 'broken'
  /** Refused with this status, and this code. */
  | Refusal

interface Refusal {
  status: number
  code: string
  message?: string
}

export interface Asked {
  method: string
  /** Below the bucket, decoded, without parameters. */
  key: string
  /** `?uploads`, `?partNumber=1&...`. */
  parameters: string
  headers: IncomingMessage['headers']
}

export interface ObjectServer {
  endpoint: string
  /** Every request so far. */
  asked: Asked[]
  /** What happens to requests from now on. */
  happens: (asked: Asked) => Happening | Promise<Happening>
  /** The server takes no notice of `If-None-Match`, as some do, or of that of parts alone. */
  ignoresConditions: boolean | 'of parts'
  /** As a configuration names it, with a mirror in this folder. */
  place(folder: string): ObjectPlace
}

const BUCKET = 'books'

/** With an empty bucket; ends with the test. */
export async function startObjectServer(): Promise<ObjectServer> {
  const port = await startProgram()
  const server: ObjectServer = {
    endpoint: '',
    asked: [],
    happens: () => 'pass',
    ignoresConditions: false,
    place: folder =>
      objectPlace(folder, {
        url: `s3://${BUCKET}/tillage`,
        endpoint: server.endpoint,
        region: 'us-east-1',
        pathStyle: true,
      }),
  }
  const line = createServer((incoming, answer) => void carry(server, port, { incoming, answer }))
  await new Promise<void>(resolve => line.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    line.closeAllConnections()
    line.close()
  })
  server.endpoint = `http://127.0.0.1:${(line.address() as AddressInfo).port}`
  return server
}

/** On a port that it picks itself, so that nobody takes it first; answers which. */
async function startProgram(): Promise<number> {
  const program = await findObjectServer()
  const options = ['-backend', 'memory', '-initialbucket', BUCKET, '-quiet']
  const child = spawn(program, ['-host', '127.0.0.1:0', ...options], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  let port: string | undefined
  child.stderr.on('data', (chunk: Buffer) => {
    if (port !== undefined) return
    said += chunk.toString()
    port = /using port: (\d+)\n/.exec(said)?.[1]
  })
  await waitFor(() => {
    if (child.exitCode !== null) throw new Error(`the server of object storage ended: ${said}`)
    return port !== undefined
  }, 'the server of object storage to listen')
  return Number(port)
}

interface Exchange {
  incoming: IncomingMessage
  answer: ServerResponse
}

async function carry(
  server: ObjectServer,
  port: number,
  { incoming, answer }: Exchange,
): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const { pathname, search: parameters } = new URL(incoming.url!, 'http://line')
  const key = decodeURIComponent(pathname).split('/').slice(2).join('/')
  const { method = '', headers } = incoming
  const asked = { method, key, parameters, headers }
  server.asked.push(asked)
  const happening = await server.happens(asked)
  if (happening === 'cut') return void incoming.socket.destroy()
  if (typeof happening === 'object') return refuse(answer, happening)
  const { 'if-none-match': condition, ...others } = headers
  const hasParts = parameters.startsWith('?uploadId=')
  if (condition !== undefined && hasParts && server.ignoresConditions === false)
    if (await isThere(port, pathname)) return refuse(answer, TAKEN)
  const sent = server.ignoresConditions === true || condition === undefined ? others : headers
  const onward = sendRequest(
    { host: '127.0.0.1', port, path: incoming.url, method, headers: sent },
    reply => {
      if (typeof happening === 'function') {
        reply.resume().on('end', () => {
          happening()
          incoming.socket.destroy()
        })
        return
      }
      answer.writeHead(reply.statusCode!, reply.headers)
      if (happening === 'broken') answer.write('x', () => void incoming.socket.destroy())
      else reply.pipe(answer)
    },
  )
  onward.on('error', () => incoming.socket.destroy())
  onward.end(Buffer.concat(chunks))
}

/** As it says it of an object that was sent at once; of one in parts this server does not ask. */
const TAKEN = { status: 412, code: 'PreconditionFailed' }

const isThere = async (port: number, path: string): Promise<boolean> =>
  (await fetch(`http://127.0.0.1:${port}${path}`, { method: 'HEAD' })).ok

function refuse(answer: ServerResponse, { status, code, message = 'no' }: Refusal): void {
  answer.writeHead(status, { 'content-type': 'application/xml' })
  answer.end(
    `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`,
  )
}

/** Keys that any such server takes. */
export const OBJECT_KEYS = {
  AWS_ACCESS_KEY_ID: 'tests',
  AWS_SECRET_ACCESS_KEY: 'of tests alone',
  AWS_EC2_METADATA_DISABLED: 'true',
}

/** Each test of the file has them, as whoever runs the program has his own. */
export function useObjectKeys(): void {
  beforeEach(() => {
    for (const [name, value] of Object.entries(OBJECT_KEYS)) vi.stubEnv(name, value)
    return () => vi.unstubAllEnvs()
  })
}
