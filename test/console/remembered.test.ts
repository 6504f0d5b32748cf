import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { rememberPeople, serveConsole } from '../../commands/console/serve-console.ts'
import { loadConfig } from '../../config.ts'
import type { Config } from '../../config.ts'
import { hashPassword } from '../../console/password-hash.ts'
import type { Remembered } from '../../console/served.ts'
import { startScene, Visitor } from './console.ts'
import type { Scene } from './console.ts'

const password = 'four short plain words'

async function scene(): Promise<Scene & { settings: Config }> {
  const started = await startScene()
  onTestFinished(() => started.close())
  return { ...started, settings: loadConfig(started.config) }
}

type Users = Config['console']['users']

/** A console with these users; the same people know it again at another one's address. */
async function serve(settings: Config, users: Users, remembered: Remembered | undefined) {
  const config = { ...settings, console: { ...settings.console, users } }
  const known = remembered === undefined ? {} : { remembered }
  return serveConsole(config, { program: 'cli.ts', ...known })
}

test('settings that change sign out whom they change, and nobody else', async () => {
  const { settings } = await scene()
  const hash = await hashPassword(password)
  const ann = { name: 'Ann', role: 'viewer', password: hash } as const
  const olga = { name: 'Olga', role: 'operator', password: hash } as const
  const paul = { name: 'Paul', role: 'viewer', password: hash } as const
  const remembered = rememberPeople(settings, 'cli.ts')
  const first = await serve(settings, [ann, olga, paul], remembered)
  const cookies = new Map<string, string>()
  for (const { name } of [ann, olga, paul]) {
    const visitor = new Visitor(first.url)
    await visitor.post('/sign-in', { name, password }, { origin: first.url })
    cookies.set(name, visitor.cookie)
  }
  await first.close()

  const isSignedIn = async (url: string, name: string): Promise<boolean> =>
    (await new Visitor(url).get('/', { cookie: cookies.get(name)! })).status === 200
  const demoted = { ...olga, role: 'viewer' } as const
  const second = await serve(settings, [ann, demoted], remembered)
  expect(await isSignedIn(second.url, 'Ann')).toBe(true)
  expect(await isSignedIn(second.url, 'Olga')).toBe(false)
  expect(await isSignedIn(second.url, 'Paul')).toBe(false)
  await second.close()

  const other = await serve(settings, [ann, demoted], undefined)
  expect(await isSignedIn(other.url, 'Ann')).toBe(false)
  await other.close()
})

test('a command that somebody waits for goes on where settings change, and ends with the program', async () => {
  const { settings, folder } = await scene()
  const program = join(folder, 'waits.mjs')
  const mayEnd = join(folder, 'may-end')
  writeFileSync(
    program,
    `import { existsSync, watch } from 'node:fs'
    const end = () => existsSync(${JSON.stringify(mayEnd)}) && process.exit(0)
    watch(${JSON.stringify(folder)}, end)
    console.log('under way')`,
  )
  const remembered = rememberPeople(settings, program)
  const { commands } = remembered
  const begin = async (id: string) => {
    const run = commands.start({ id, title: 'Waits', args: [], by: 'Ann' })
    await expect.poll(() => run.said).toContain('under way')
    return run
  }
  const before = await serve(settings, [], remembered)
  const run = await begin('first')
  await before.close()
  expect(existsSync(mayEnd)).toBe(false)
  writeFileSync(mayEnd, '')
  await expect.poll(() => run.status).toBe(0)

  rmSync(mayEnd)
  const last = await begin('last')
  commands.close()
  await expect.poll(() => last.status).toBe(1)
})
