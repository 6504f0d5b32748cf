import { execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, posix, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { needsAnotherNode, PACKAGES_WITH_NODE } from '../bin/node-version.ts'
import { nameSources } from '../commands/terminal/name-sources.ts'
import { buildPackage, bundleProgram } from '../tools/build-package.ts'

/**
 * The package as npm would unpack it: under node_modules, where Node strips no types, beside those
 * libraries that it is not made of itself.
 */
const BESIDE = [
  '@duckdb/node-api',
  '@temporalio/activity',
  '@temporalio/client',
  '@temporalio/worker',
  'better-sqlite3',
  'pg',
]
const root = resolve(import.meta.dirname, '..')
const project = mkdtempSync(join(tmpdir(), 'tillage-package-'))
const installed = join(project, 'node_modules', 'tillage')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  version: string
  bin: Record<string, string>
  files: string[]
  dependencies: Record<string, string>
  optionalDependencies: Record<string, string>
}
let packed: string[] = []

beforeAll(async () => {
  await buildPackage(join(installed, 'dist'))
  for (const name of ['package.json', 'README.md', ...manifest.files].filter(
    file => file !== 'dist' && existsSync(join(root, file)),
  )) {
    mkdirSync(dirname(join(installed, name)), { recursive: true })
    cpSync(join(root, name), join(installed, name), { recursive: true })
  }
  for (const name of BESIDE) {
    const link = join(project, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), link)
  }
  const listed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: installed,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    shell: process.platform === 'win32',
  })
  packed = listedFiles(JSON.parse(listed))
})
afterAll(() => rmSync(project, { recursive: true, force: true }))

interface Pack {
  files: { path: string }[]
}

/** npm 11 answers with a list, later ones with an object by name. */
function listedFiles(answer: Pack[] | Record<string, Pack>): string[] {
  return Object.values(answer)
    .flatMap(({ files }) => files.map(({ path }) => path))
    .sort()
}

const dist = (name: string): string => readFileSync(join(installed, 'dist', name), 'utf8')
const scripts = (): string[] =>
  globSync('**/*.js', { cwd: join(installed, 'dist') }).map(file => file.split(sep).join('/'))

/** What a file of the program imports, at once or later, or starts as a thread or child. */
function neededBy(file: string): string[] {
  const source = dist(file)
  const imported = [...source.matchAll(/(?:from|import) ?\(?"(\.{1,2}\/[^"]+)"/g)].map(([, path]) =>
    posix.join(posix.dirname(file), path!),
  )
  // `./keeper${extname(import.meta.url)}`: .ts in a clone.
  const started = [...source.matchAll(/`\.\/([\w-]+)\$\{/g)].map(([, name]) => `${name}.js`)
  return [...imported, ...started]
}

/** Each file below a folder of the clone, also one without an extension. */
function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map(file => posix.join(folder, file.split(sep).join('/')))
    .filter(file => statSync(join(root, file)).isFile())
}

/** What must be in the package: the program with all that it needs, and what is read next to it. */
function expectedFiles(): string[] {
  const needed = new Set(['bin/tillage.js'])
  for (const file of needed) for (const other of neededBy(file)) needed.add(other)
  const beside = [
    'package.json',
    'README.md',
    'CHANGELOG.md',
    'THIRD_PARTY.md',
    'sandbox/README.md',
    'openapi.json',
    ...['README.md', 'go.mod', 'go.sum'].map(name => `tools/temporal/${name}`),
    ...filesIn('docs'),
  ]
  return [
    ...[...needed].map(file => `dist/${file}`),
    'dist/licences.txt',
    'dist/workflow-bundle.js',
    ...beside.filter(file => existsSync(join(root, file))),
  ].sort()
}

const compare = (
  found: readonly string[],
  wanted: readonly string[],
): { missing: string[]; tooMuch: string[] } => ({
  missing: wanted.filter(file => !found.includes(file)),
  tooMuch: found.filter(file => !wanted.includes(file)),
})

const run = (...args: string[]): { status: number | null; stdout: string; stderr: string } =>
  spawnSync(process.execPath, [join(installed, manifest.bin['tillage']!), ...args], {
    cwd: project,
    encoding: 'utf8',
  })

/** Command lines of processes that have to do with the folder, where the system tells (Linux). */
function runningIn(folder: string): string[] {
  return globSync('/proc/[0-9]*/cmdline')
    .map(file => {
      try {
        return readFileSync(file, 'utf8').replaceAll('\0', ' ')
      } catch {
        return '' // It has ended meanwhile.
      }
    })
    .filter(line => line.includes(folder))
}

describe('the package', () => {
  it('holds the program, its threads and children, and nothing else', () => {
    expect(compare(packed, expectedFiles())).toEqual({ missing: [], tooMuch: [] })
  })

  it('prints the pages of its documentation', () => {
    expect(run('help', 'importers').stdout).toMatch(/^# Importing a journal/)
  })

  it('would be caught with a file too few or too many', () => {
    expect(
      compare(
        packed.filter(file => file !== 'dist/keeper.js'),
        expectedFiles(),
      ),
    ).toEqual({ missing: ['dist/keeper.js'], tooMuch: [] })
    expect(compare([...packed, 'dist/test/x.test.js', '.env'], expectedFiles())).toEqual({
      missing: [],
      tooMuch: ['dist/test/x.test.js', '.env'],
    })
  })

  it('has what threads and children are started with', () => {
    const started = scripts().flatMap(neededBy)
    for (const name of ['export-worker', 'keeper', 'writer-thread'])
      expect(started).toContain(`${name}.js`)
  })

  it('imports no library but those that stay as their makers ship them, which are its dependencies', () => {
    const libraries = scripts()
      .flatMap(file => [
        ...dist(file).matchAll(
          /^(?:import|export) .*?"([^".\n][^"\n]*)"|(?:__require|import)\("([^".\n][^"\n]*)"\)/gm,
        ),
      ])
      .map(([, imported, required]) => imported ?? required!)
      .filter(name => !isBuiltin(name))
      .map(name => BESIDE.find(beside => `${name}/`.startsWith(`${beside}/`)) ?? name)
    expect([...new Set(libraries)].sort()).toEqual(BESIDE)
    expect(Object.keys(manifest.dependencies)).toEqual(expect.arrayContaining(BESIDE))
  })

  it('brings the licence of each library that it is made of', () => {
    const texts = dist('licences.txt')
    const made = scripts().flatMap(file => [
      ...dist(file).matchAll(/^\/\/ node_modules\/((?:@[^/]+\/)?[^/]+)/gm),
    ])
    const names = [...new Set(made.map(([, name]) => name!))]
    expect(names.length).toBeGreaterThan(50)
    expect(names.filter(name => !texts.includes(`== ${name} `))).toEqual([])
    expect(texts).toMatch(/^== zod [\d.]+: MIT\n\nMIT License\n/m)
  })

  it('says nothing of the machine that built it, so the next build is the same', async () => {
    const again = mkdtempSync(join(tmpdir(), 'tillage-again-'))
    try {
      await bundleProgram(again)
      const files = globSync('**/*.js', { cwd: again }).map(file => file.split(sep).join('/'))
      expect(files.sort()).toEqual(
        scripts()
          .filter(file => file !== 'workflow-bundle.js')
          .sort(),
      )
      expect(files.filter(file => readFileSync(join(again, file), 'utf8') !== dist(file))).toEqual(
        [],
      )
      expect(scripts().filter(file => dist(file).includes(root))).toEqual([])
    } finally {
      rmSync(again, { recursive: true })
    }
  })

  it('leads from a line of a stack to the source', () => {
    const lines = dist('program.js').split('\n')
    const line = lines.findIndex(text => text.startsWith('async function runProgram(')) + 1
    expect(line).toBeGreaterThan(0)
    const place = `${pathToFileURL(join(installed, 'dist', 'program.js')).href}:${line}:1`
    expect(nameSources(`    at runProgram (${place})`)).toBe(
      `    at runProgram (program.ts, ${place})`,
    )
  })

  it.skipIf(process.platform === 'win32')('has a program that a shell can run', () => {
    const program = join(installed, manifest.bin['tillage']!)
    expect(readFileSync(program, 'utf8').startsWith('#!/usr/bin/env node\n')).toBe(true)
    expect(statSync(program).mode & 0o111).toBe(0o111)
  })

  it('brings its own Node for each platform that it knows, and asks for it below 24 alone', () => {
    expect([...PACKAGES_WITH_NODE].sort()).toEqual(
      Object.keys(manifest.optionalDependencies).sort(),
    )
    expect(['18.20.4', '20.20.2', '22.19.0', '24.0.0', '25.1.0'].map(needsAnotherNode)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ])
  })
})

describe('the installed program', () => {
  it('answers --version', () => {
    expect(run('--version')).toMatchObject({ status: 0, stdout: `${manifest.version}\n` })
  })

  it('tells what is missing when there is no configuration', () => {
    const { status, stdout, stderr } = run('status')
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain('tillage.yaml')
  })

  it('runs the demo, with its threads and children as JavaScript, and leaves no process behind', async () => {
    const { status, stdout, stderr } = run('demo', '--days', '2', '--json')
    expect(status, stderr).toBe(0)
    const { files } = JSON.parse(stdout) as { files: { path: string }[] }
    expect(files.length).toBeGreaterThan(30)
    expect(
      readdirSync(join(project, 'tillage-data', 'demo', 'exports'), {
        recursive: true,
        encoding: 'utf8',
      }).some(name => name.endsWith('.parquet')),
    ).toBe(true)
    // Who kept its server ends a moment after it.
    await expect.poll(() => runningIn(project)).toEqual([])
  })

  it.skipIf(process.platform !== 'linux')(
    'would be caught with a process left behind',
    async () => {
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', project], {
        stdio: 'ignore',
      })
      try {
        await expect.poll(() => runningIn(project)).toHaveLength(1)
      } finally {
        child.kill('SIGKILL')
      }
    },
  )
})
