import { expect, test } from 'vitest'
import { sandbox } from '../../commands/sandbox.ts'
import { startSandbox } from '../../sandbox/server.ts'

const ignore = (): void => {}
const context = {
  terminal: { json: false, print: ignore, progress: ignore, log: ignore },
  signal: new AbortController().signal,
}

test('a port that another program uses is named in the message', async () => {
  const first = await startSandbox({ stores: 1, days: 1 })
  try {
    const port = Number(new URL(first.baseUrl).port)
    await expect(sandbox(context, { port, seed: 1, stores: 1, days: 1 })).rejects.toThrow(
      `another program listens on port ${port}`,
    )
  } finally {
    await first.close()
  }
})

test('a profile is found by its own name only, not by names that every object has', async () => {
  const ask = (profile: string): Promise<unknown> =>
    sandbox(context, { port: 0, seed: 1, stores: 1, days: 1, profile })
  for (const word of ['toString', 'constructor'])
    await expect(ask(word)).rejects.toThrow(`there is no profile "${word}"`)
})
