import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** What a sandbox prints when it is ready. */
export interface SandboxFacts {
  baseUrl: string
  partnerKey: string
  stores: { id: string; name: string; timeZone: string; developerKey: string }[]
}

export interface SandboxProcess {
  facts: SandboxFacts
  stop(): Promise<void>
}

/** `tillage sandbox` as a process of its own, on a free port, ready when this answers. */
export async function startSandboxProcess(
  entry: string,
  flags: readonly string[],
): Promise<SandboxProcess> {
  const child = spawn(process.execPath, [entry, 'sandbox', '--json', '--port', '0', ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })
  const first = await Promise.race([
    once(lines, 'line').then(([line]) => line as string),
    exited.then(() => undefined),
  ])
  if (first === undefined) throw new Error('the sandbox did not start')
  return {
    facts: JSON.parse(first) as SandboxFacts,
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}
