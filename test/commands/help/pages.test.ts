import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { pageNames, readPage } from '../../../commands/help/pages.ts'
import { runProgram } from '../../../program.ts'
import { files as sources, read } from '../../architecture/files.ts'

async function say(...args: string[]): Promise<string> {
  const out: string[] = []
  const stream = { write: (text: string) => out.push(text) > 0, isTTY: false, columns: 80 }
  const streams = { stdout: stream, stderr: stream } as unknown as Parameters<
    typeof runProgram
  >[0]['streams']
  await runProgram({ args, streams, signal: new AbortController().signal })
  return out.join('')
}

test('help prints a page of the documentation, and names all of them', async () => {
  expect(await say('help', 'importers')).toMatch(/^# Importing a journal/)
  expect(await say('help', 'docs/importers.md')).toMatch(/^# Importing a journal/)
  expect((await say('help', 'pages')).split('\n')).toContain('journals')
  expect(readPage('../README')).toBeUndefined()
  expect(readPage('nothing')).toBeUndefined()
})

test('a topic that there is not is said, with what may be meant', async () => {
  const said = await say('help', 'jornals')
  expect(said).toContain('there is no command and no page "jornals"')
  expect(said).toContain('Did you mean journals?')
  expect(said).not.toContain('Usage:')
})

test('a command of the same name as a page has its own help there', async () => {
  expect(await say('help', 'query')).toContain('Usage: tillage query')
})

test('every page that a message names is in the package', () => {
  const { files } = JSON.parse(readFileSync('package.json', 'utf8')) as { files: string[] }
  expect(files).toContain('docs')
  const ours = sources.filter(file => !/^(test|tools|bench)\//.test(file))
  const named = ours.flatMap(file =>
    [...read(file).matchAll(/docs\/([a-z-]+)\.md/g)].map(([, name]) => name!),
  )
  expect(named.length).toBeGreaterThan(3)
  expect(named.filter(name => !pageNames().includes(name))).toEqual([])
})
