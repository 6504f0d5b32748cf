import { expect, test } from 'vitest'
import { COMMANDS } from '../../commands/index.ts'
import { runProgram } from '../../program.ts'

const { signal } = new AbortController()

async function helpOf(...words: string[]): Promise<string> {
  let said = ''
  const stream = {
    write: (text: unknown) => {
      said += String(text)
      return true
    },
  }
  const streams = { stdout: stream, stderr: stream }
  expect(await runProgram({ args: [...words, '--help'], streams, signal }), words.join(' ')).toBe(0)
  return said
}

test('no line of any help is wider than 80 columns', async () => {
  const pages = [[]] as string[][]
  for (const { name, load } of COMMANDS) {
    const loaded = await load()
    pages.push([name])
    if ('subcommands' in loaded)
      pages.push(...loaded.subcommands.map(({ name: inner }) => [name, inner]))
  }
  expect(pages.length).toBeGreaterThan(50)
  for (const words of pages)
    for (const line of (await helpOf(...words)).split('\n'))
      expect(line.length, `${words.join(' ')}: ${line}`).toBeLessThanOrEqual(80)
})
