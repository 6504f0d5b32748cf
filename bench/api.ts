/** The API of the duel as the bench drives it: a process of its own (`server.ts`). */
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { request } from 'undici'
import type { Facts } from './server.ts'

export class Api {
  readonly url: string
  private readonly process: ChildProcess

  private constructor(url: string, server: ChildProcess) {
    this.url = url
    this.process = server
  }

  static async start(records: number): Promise<Api> {
    const program = new URL('server.ts', import.meta.url).pathname
    const server = spawn(process.execPath, [program, String(records)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = (await once(createInterface({ input: server.stdout }), 'line')) as [string]
    const { url } = JSON.parse(line) as { url: string }
    return new Api(url, server)
  }

  async facts(): Promise<Facts> {
    const { body } = await request(`${this.url}/_/facts`)
    return (await body.json()) as Facts
  }

  /** Without a value: no limit, no latency. */
  async set({ perSecond = 0, latencyMs = 0 } = {}): Promise<void> {
    const { body } = await request(
      `${this.url}/_/set?perSecond=${perSecond}&latencyMs=${latencyMs}`,
    )
    await body.dump()
  }

  stop(): void {
    this.process.kill()
  }
}
