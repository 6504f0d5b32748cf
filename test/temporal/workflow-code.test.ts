import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { findWorkflowCode } from '../../temporal/workflow-code.ts'

const CACHES = join(import.meta.dirname, '..', '..', 'node_modules', '.cache')

let folder: string
let options: { packaged: string; workflows: string; cache: string }
beforeEach(() => {
  // Inside node_modules, where the bundler finds Temporal's packages.
  mkdirSync(CACHES, { recursive: true })
  folder = mkdtempSync(join(CACHES, 'workflow-code-'))
  const workflows = join(folder, 'workflows')
  mkdirSync(workflows)
  options = { packaged: join(folder, 'packaged.js'), workflows, cache: join(folder, 'cache') }
  writeWorkflow('first')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const writeWorkflow = (answer: string): void =>
  writeFileSync(
    join(options.workflows, 'index.ts'),
    `export async function answer() { return 'the ${answer} answer' }\n`,
  )
const cached = (): string[] => (existsSync(options.cache) ? readdirSync(options.cache) : [])

it('bundles the workflows once for each content of their files', async () => {
  const first = await findWorkflowCode(options)
  expect(first).toEqual({ codePath: join(options.cache, cached()[0]!) })
  expect(readFileSync(join(options.cache, cached()[0]!), 'utf8')).toContain('the first answer')

  // What is kept is what is used: bundling again would not bring the mark back.
  writeFileSync(join(options.cache, cached()[0]!), '// kept')
  expect(await findWorkflowCode(options)).toEqual(first)
  expect(readFileSync(join(options.cache, cached()[0]!), 'utf8')).toBe('// kept')

  writeWorkflow('second')
  const second = await findWorkflowCode(options)
  expect(second).not.toEqual(first)
  expect(readFileSync((second as { codePath: string }).codePath, 'utf8')).toContain(
    'the second answer',
  )
})

it('bundles in memory where nothing can be kept', async () => {
  writeFileSync(options.cache, 'a file where the folder should be')
  expect(await findWorkflowCode(options)).toEqual({
    code: expect.stringContaining('the first answer'),
  })
})

it('takes what an installed package brings along, and needs no sources then', async () => {
  writeFileSync(options.packaged, '// packaged')
  rmSync(options.workflows, { recursive: true })
  expect(await findWorkflowCode(options)).toEqual({ codePath: options.packaged })
})

it('has nothing of ours in the bundle but workflows, or the cache would miss a change', async () => {
  const code = await findWorkflowCode()
  const text = 'code' in code ? code.code : readFileSync(code.codePath, 'utf8')
  // The bundler names each module above it.
  const sources = [...text.matchAll(/^\/\*{3}\/ "([^"]+)"/gm)].map(([, name]) => name!)
  const ours = sources.filter(name => name.endsWith('.ts') && !name.includes('node_modules'))
  expect(ours.length).toBeGreaterThan(5)
  expect(ours.filter(name => !/(^|\/)workflows\/[^/]+\.ts$/.test(name))).toEqual([])
})
