import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, test } from 'vitest'
import { flagOf } from '../../commands/arguments/needed-options.ts'
import type { AnyCommand } from '../../commands/command.ts'
import { COMMANDS } from '../../commands/index.ts'
import { runProgram } from '../../program.ts'

const folder = mkdtempSync(join(tmpdir(), 'tillage-test-'))
const config = join(folder, 'tillage.yaml')
writeFileSync(
  config,
  `stores: [{ id: downtown, baseUrl: 'http://127.0.0.1:1', partnerKey: p, developerKey: d }]
database: ${join(folder, 'tillage.db')}
`,
)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function run(args: readonly string[]): Promise<{ status: number; said: string }> {
  let said = ''
  const write = (text: unknown): boolean => {
    said += String(text)
    return true
  }
  const status = await runProgram({
    args: [...args, '--config', config],
    streams: { stdout: { write: () => true }, stderr: { write } },
    signal: new AbortController().signal,
  })
  return { status, said }
}

interface Declared {
  words: string[]
  command: AnyCommand
}

async function allCommands(): Promise<Declared[]> {
  const all = await Promise.all(
    COMMANDS.map(async ({ name, load }) => {
      const loaded = await load()
      return 'subcommands' in loaded
        ? loaded.subcommands.map(({ name: inner, command }) => ({ words: [name, inner], command }))
        : [{ words: [name], command: loaded }]
    }),
  )
  return all.flat()
}

const argumentsOf = ({ takes = '' }: AnyCommand): string[] =>
  [...takes.matchAll(/<(\w+)/g)].map(([, name]) => name!)

const valueOf = ({ command }: Declared, name: string): string[] => {
  const declared = command.options!.find(one => one.attributeName() === name)!
  return declared.required ? ['7'] : []
}

test('an option that belongs to another is refused without it, whichever command has it', async () => {
  const tried: string[] = []
  for (const declared of await allCommands())
    for (const [name, others] of Object.entries(declared.command.needs ?? {})) {
      const flags = [name, ...others].map(flagOf)
      for (const flag of flags)
        expect(declared.command.options!.map(({ long }) => long)).toContain(flag)
      const alone = [...declared.words, ...argumentsOf(declared.command), flags[0]!]
      const { status, said } = await run([...alone, ...valueOf(declared, name)])
      expect({ status, said }, alone.join(' ')).toMatchObject({
        status: 2,
        said: expect.stringContaining(`${flags[0]} belongs to ${flags[1]}`) as string,
      })
      tried.push(alone.join(' '))
    }
  expect(tried).toEqual([
    'journal --reason',
    'journal --by',
    'push plan catalog file --max-deactivations',
  ])
})

describe('an option that means nothing where it stands', () => {
  it.each([
    ['books --by Ana', 'books takes no --by'],
    ['books --reason why', 'books takes no --reason'],
    ['books --csv --json', 'books --json takes no --csv'],
    ['books refresh --csv', 'books refresh takes no --csv'],
    ['books refresh 2026-10', 'books refresh is about all days'],
    ['books close 2026-10 --by Ana --month 2026-09', 'two months are named, 2026-10 and 2026-09'],
    ['books reopen 2026-10 --by Ana --reason why --csv', 'books reopen takes no --csv'],
    ['api --list --dry-run', "option '--list [group]' cannot be used with option '--dry-run'"],
    ['sandbox --list-profiles --profile a', "cannot be used with option '--profile <names>'"],
    ['doctor --database --store downtown', 'a database is looked at as a whole'],
    ['status --all --by Ana', "unknown option '--by'"],
  ])('is refused: %s', async (typed, expected) => {
    const { status, said } = await run(typed.split(' '))
    expect(status, said).toBe(2)
    expect(said).toContain(expected)
  })
})
