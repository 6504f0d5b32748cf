import { execFile } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { formatHelp } from '../commands/help.ts'
import { COMMANDS } from '../commands/index.ts'
import { loadConfig } from '../config.ts'
import { FINDINGS } from '../connectors/findings.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import { ERROR_CODES } from '../errors.ts'
import { withTables } from '../tools/write-docs.ts'

const root = resolve(import.meta.dirname, '..')
const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const readme = read('README.md')
const pages = ['README.md', ...globSync('docs/**/*.md', { cwd: root })]
const docs = pages.map(read).join('\n')
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

/** What follows the heading, or the place of one, at the beginning of each line. */
function readHelp(help: string): { options: string[]; commands: string[] } {
  const names = [...help.matchAll(/^[A-Z ][A-Za-z ]{8}(--[a-z]+|[a-z][a-z-]*) /gm)].map(
    ([, name]) => name!,
  )
  return {
    options: names.filter(name => name.startsWith('--')),
    commands: names.filter(name => !name.startsWith('--')),
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

describe('the README and docs/', () => {
  let commands: CommandHelp[] = []
  beforeAll(async () => {
    commands = await readCommands()
  })

  it('name every command, in the README itself', () => {
    expect(commands.map(({ name }) => name)).toContain('sync')
    expect(
      commands.map(({ name }) => name).filter(name => !hasCommand(readme, name)),
      'commands that README.md does not name in `code`',
    ).toEqual([])
  })

  it('name every option', () => {
    const flags = [...new Set(commands.flatMap(({ options }) => options))]
    expect(flags).toContain('--format')
    const takenBy = (flag: string): string =>
      commands
        .filter(({ options }) => options.includes(flag))
        .map(({ name }) => name)
        .join(', ')
    expect(
      flags.filter(flag => !hasOption(docs, flag)).map(flag => `${flag} (${takenBy(flag)})`),
      'options that neither README.md nor docs/ names',
    ).toEqual([])
  })

  it('have a table row for every stream, error code and finding', () => {
    const names = [
      ...streams.map(({ name }) => name),
      ...Object.keys(ERROR_CODES),
      ...Object.keys(FINDINGS),
    ]
    expect(
      names.filter(name => !hasRow(docs, name)),
      'without a table row that names them in `code`',
    ).toEqual([])
  })

  it('keep the README within 155 lines, and list all thirteen promises', () => {
    expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(155)
    const promises = [...read('docs/promises.md').matchAll(/^\| (INV-\d+) \|/gm)]
    expect(promises.map(([, number]) => number)).toEqual(
      Array.from({ length: 13 }, (_, at) => `INV-${at + 1}`),
    )
  })

  it.each(pages)(
    'have the derived tables as the code has them now (npm run docs): %s',
    async file => {
      expect(await withTables(read(file))).toBe(read(file))
    },
  )

  it('would show a stale table', async () => {
    const stale = read('docs/streams.md').replace('sales, refunds', 'sales')
    expect(await withTables(stale)).not.toBe(stale)
  })

  it('tell how to start, in one line each', () => {
    for (const line of ['npm ci && npm run demo', 'npm ci && npm test'])
      expect(
        readme.split('\n').map(text => text.trim()),
        `a line of its own: ${line}`,
      ).toContain(line)
  })

  it('show a configuration that is accepted as it stands', () => {
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
  /** A path of the repository; the example in CONTRIBUTING.md makes a file that is not there. */
  const isOurs = (path: string): boolean =>
    existsSync(join(root, path.split('/')[0]!)) && !path.includes('loyalty-tiers')
  const findDead = (file: string, text: string): string[] =>
    [
      ...[...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)[^)]*\)/g)]
        .map(([, link]) => link!)
        .filter(link => !existsSync(join(root, dirname(file), link))),
      ...[...text.matchAll(/`((?:[\w-]+\/)+[\w.-]+\.(?:ts|md))`/g)]
        .map(([, path]) => path!)
        .filter(path => isOurs(path) && !existsSync(join(root, path))),
      ...[...text.matchAll(/\bnpm run (?:-s )?([a-z][\w:-]*)/g)]
        .map(([, script]) => script!)
        .filter(script => !(script in scripts)),
    ].map(target => `${file}: ${target}`)

  it('exists: files that are linked, and npm scripts', () => {
    expect(
      documents.flatMap(file => findDead(file, readFileSync(join(root, file), 'utf8'))),
    ).toEqual([])
  })

  /** Rows of tables that begin with a function and its file. */
  const findLostFunctions = (text: string): string[] =>
    [...text.matchAll(/^\| `(\w+)` \| `([\w/-]+\.ts)` \|/gm)]
      .filter(
        ([, name, file]) =>
          !new RegExp(`function[*]? ${name}\\b`).test(readFileSync(join(root, file!), 'utf8')),
      )
      .map(([, name, file]) => `${file}: ${name}`)

  it('exists: functions that are named with their file', () => {
    const walk = readFileSync(join(root, 'docs/proof.md'), 'utf8')
    expect(walk).toContain('| `syncWindow` | `activities/sync-window.ts` |')
    expect(findLostFunctions(walk)).toEqual([])
    expect(findLostFunctions('| `judgeAll` | `reading/prove.ts` | judges |')).toEqual([
      'reading/prove.ts: judgeAll',
    ])
  })

  it('would be reported otherwise', () => {
    expect(
      findDead(
        'README.md',
        '[a](nowhere.md) [b](package.json#x) [c](https://example.com) `npm run nothing` `npm run -s demo` `test/none.ts` `test/docs.test.ts`',
      ),
    ).toEqual(['README.md: nowhere.md', 'README.md: test/none.ts', 'README.md: nothing'])
  })
})

describe('the decisions', () => {
  /** Numbers in names of files that are not above the one before, or not that of the title. */
  const misnumbered = (files: readonly string[], titleOf: (file: string) => string): string[] =>
    files.filter((file, at) => {
      const [before = 0, number = Number.NaN] = [files[at - 1], file].map(numberOf)
      return !(number > before) || !titleOf(file).startsWith(`# ${number}. `)
    })

  const numberOf = (file: string | undefined): number =>
    Number(/^decisions\/(\d{4})-/.exec(file ?? 'decisions/0000-')?.[1])

  it('have one number each, the same in the name and the title', () => {
    const files = globSync('decisions/*.md').toSorted()
    const titleOf = (file: string): string => readFileSync(file, 'utf8').split('\n', 1)[0]!
    expect(misnumbered(files, titleOf)).toEqual([])
    const twice = ['decisions/0001-a.md', 'decisions/0001-b.md']
    expect(misnumbered(twice, () => '# 1. A')).toEqual(['decisions/0001-b.md'])
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
      'Usage: x [options]\n\nStart    plan          makes\n         try-on        tells\nOptions  --json        one\n'
    expect(readHelp(help)).toEqual({ options: ['--json'], commands: ['plan', 'try-on'] })
  })

  it('finds a help that fits one screen', () => {
    const lines = formatHelp().split('\n')
    expect(lines.filter(line => line.length > 80)).toEqual([])
    expect(lines.length).toBeLessThanOrEqual(46)
  })
})
