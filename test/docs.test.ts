import { execFile } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { COMMAND_GROUPS, COMMANDS } from '../commands/index.ts'
import { loadConfig } from '../config.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import { ERROR_CODES } from '../errors.ts'
import { withTables } from '../tools/write-docs.ts'

const root = resolve(import.meta.dirname, '..')
const readme = existsSync(join(root, 'README.md'))
  ? readFileSync(join(root, 'README.md'), 'utf8')
  : ''
const docs = [
  readme,
  ...globSync('docs/**/*.md', { cwd: root }).map(file => readFileSync(join(root, file), 'utf8')),
].join('\n')
const documents = globSync('{*.md,docs/**/*.md,sandbox/*.md,decisions/*.md,tools/temporal/*.md}', {
  cwd: root,
})

/** A command as its own help tells it: `reconcile plan` with `--store`, `--json` and so on. */
interface CommandHelp {
  name: string
  options: string[]
}

/** Every command as it is declared; the program itself says which there are. */
async function readCommands(): Promise<CommandHelp[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'cli.ts'), '--help'])
  const help = readHelp(stdout)
  expect(help.commands.toSorted()).toEqual(COMMANDS.map(({ name }) => name).toSorted())
  const declared = await Promise.all(
    COMMANDS.map(async ({ name, load }) => {
      const loaded = await load()
      return 'subcommands' in loaded
        ? loaded.subcommands.map(inner => ({ ...inner, name: `${name} ${inner.name}` }))
        : [{ name, command: loaded }]
    }),
  )
  return declared.flat().map(({ name, command }) => ({
    name,
    options: [...help.options, ...(command.options ?? []).flatMap(({ long }) => long ?? [])],
  }))
}

function readHelp(help: string): { options: string[]; commands: string[] } {
  const section = (title: string): string =>
    new RegExp(`^${title}:\\n((?:[ ].*\\n?|\\n(?=[ ]))*)`, 'm').exec(help)?.[1] ?? ''
  const headings = [
    ...Object.values(COMMAND_GROUPS).map(group => group.replace(':', '')),
    'Commands',
  ]
  return {
    options: [...section('Options').matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(
      ([, flag]) => flag!,
    ),
    commands: headings
      .flatMap(heading => [...section(heading).matchAll(/^ {2}([a-z][a-z-]*)/gm)])
      .map(([, name]) => name!)
      .filter(name => name !== 'help'),
  }
}

/** `sync` must stand in code: `sync ...`; `reconcile plan` in one line, in this order. */
const hasCommand = (text: string, name: string): boolean =>
  new RegExp(`\`(?:[^\`\\n]*\\btillage (?:-- )?)?${name.replace(' ', '\\b[^\\n]*\\b')}\\b`).test(
    text,
  )
const hasOption = (text: string, flag: string): boolean =>
  new RegExp(`(?<![\\w-])${flag}(?![\\w-])`).test(text)
const hasRow = (text: string, name: string): boolean =>
  text.split('\n').some(line => line.startsWith('|') && new RegExp(`\`${name}\``).test(line))

describe('the README', () => {
  let commands: CommandHelp[] = []
  beforeAll(async () => {
    commands = await readCommands()
  })

  it('names every command', () => {
    expect(commands.map(({ name }) => name)).toContain('sync')
    expect(
      commands.map(({ name }) => name).filter(name => !hasCommand(readme, name)),
      'commands that README.md does not name in `code`',
    ).toEqual([])
  })

  it('names every option', () => {
    const flags = [...new Set(commands.flatMap(({ options }) => options))]
    expect(flags).toContain('--format')
    const takenBy = (flag: string): string =>
      commands
        .filter(({ options }) => options.includes(flag))
        .map(({ name }) => name)
        .join(', ')
    expect(
      flags.filter(flag => !hasOption(readme, flag)).map(flag => `${flag} (${takenBy(flag)})`),
      'options that README.md does not name',
    ).toEqual([])
  })

  it('has a table with every stream', () => {
    expect(
      streams.map(({ name }) => name).filter(name => !hasRow(readme, name)),
      'streams without a table row in README.md that names them in `code`',
    ).toEqual([])
  })

  it('or docs/ has a table with every error code', () => {
    expect(
      Object.keys(ERROR_CODES).filter(code => !hasRow(docs, code)),
      'error codes without a table row that names them in `code`',
    ).toEqual([])
  })

  it('has its derived tables as the code has them now (npm run docs), and a stale one would be seen', () => {
    expect(withTables(readme)).toBe(readme)
    expect(withTables(readme.replace('sales, refunds', 'sales'))).not.toBe(
      readme.replace('sales, refunds', 'sales'),
    )
  })

  it('tells how to start, in one line each', () => {
    for (const line of ['npm ci && npm run demo', 'npm ci && npm test'])
      expect(
        readme.split('\n').map(text => text.trim()),
        `a line of its own: ${line}`,
      ).toContain(line)
  })

  it('shows a configuration that is accepted as it stands', () => {
    const examples = [...readme.matchAll(/```ya?ml\n([^]*?)```/g)]
      .map(([, text]) => text!)
      .filter(text => /^stores:/m.test(text))
    expect(examples.length, 'yaml examples with stores in README.md').toBeGreaterThan(0)
    const folder = mkdtempSync(join(tmpdir(), 'tillage-docs-'))
    try {
      for (const [index, text] of examples.entries()) {
        const file = join(folder, `${index}.yaml`)
        writeFileSync(file, text)
        const names = [...text.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => [name!, 'x'] as const)
        expect(loadConfig(file, Object.fromEntries(names)).stores.length).toBeGreaterThan(0)
      }
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('what the documents point at', () => {
  const scripts = (
    JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>
    }
  ).scripts
  const findDead = (file: string, text: string): string[] =>
    [
      ...[...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)[^)]*\)/g)]
        .map(([, link]) => link!)
        .filter(link => !existsSync(join(root, dirname(file), link))),
      ...[...text.matchAll(/\bnpm run (?:-s )?([a-z][\w:-]*)/g)]
        .map(([, script]) => script!)
        .filter(script => !(script in scripts)),
    ].map(target => `${file}: ${target}`)

  it('exists: files that are linked, and npm scripts', () => {
    expect(
      documents.flatMap(file => findDead(file, readFileSync(join(root, file), 'utf8'))),
    ).toEqual([])
  })

  it('would be reported otherwise', () => {
    expect(
      findDead(
        'README.md',
        '[a](nowhere.md) [b](package.json#x) [c](https://example.com) `npm run nothing` `npm run -s demo`',
      ),
    ).toEqual(['README.md: nowhere.md', 'README.md: nothing'])
  })
})

describe('the search for names', () => {
  it('takes a name only where a reader would find it', () => {
    expect(hasCommand('| `sync [STREAM...]` | reads |', 'sync')).toBe(true)
    expect(hasCommand('run `npm run -s tillage -- sync --from D`', 'sync')).toBe(true)
    expect(hasCommand('to sync the stores, and `async` code', 'sync')).toBe(false)
    expect(hasCommand('`reconcile plan FILE` / `approve PLAN`', 'reconcile plan')).toBe(true)
    expect(hasCommand('`reconcile plan FILE` / `approve PLAN`', 'reconcile approve')).toBe(true)
    expect(hasCommand('`reconcile plan FILE`', 'reconcile undo')).toBe(false)
    expect(hasOption('`--from D --to D`', '--to')).toBe(true)
    expect(hasOption('`--today`', '--to')).toBe(false)
    expect(hasRow('| `members` | people |', 'members')).toBe(true)
    expect(hasRow('the `members` stream', 'members')).toBe(false)
  })

  it('reads options and commands from a help text', () => {
    const help =
      'Usage: x [options]\n\nOptions:\n  -h, --help    display\n                --not-this\n  --store <id>  one\n\nCommands:\n  plan <file>   makes\n  help [command]  tells\n'
    expect(readHelp(help)).toEqual({ options: ['--help', '--store'], commands: ['plan'] })
  })
})
