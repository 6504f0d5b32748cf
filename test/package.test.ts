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
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { needsAnotherNode, PACKAGES_WITH_NODE } from '../bin/node-version.ts'
import { buildPackage } from '../tools/build-package.ts'

/**
 * The package as npm would unpack it: under node_modules, where Node strips no types, beside its
 * dependencies.
 */
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
  for (const name of readdirSync(join(root, 'node_modules')).filter(
    entry => !entry.startsWith('.'),
  ))
    symlinkSync(join(root, 'node_modules', name), join(project, 'node_modules', name))
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

/** What must be in the package: every source that runs, and what is read next to it. */
function expectedFiles(): string[] {
  const sources = globSync('**/*.ts', {
    cwd: root,
    exclude: name =>
      /^(node_modules|dist|tillage-data|test|bench|tools|\..*)$/.test(basename(name)),
  })
    .map(file => file.split(sep).join('/'))
    .filter(file => file !== 'vitest.config.ts')
  const beside = [
    'package.json',
    'README.md',
    'CHANGELOG.md',
    'THIRD_PARTY.md',
    'sandbox/README.md',
    'openapi.json',
    ...['README.md', 'go.mod', 'go.sum'].map(name => `tools/temporal/${name}`),
  ]
  return [
    ...sources.map(file => `dist/${file.replace(/\.ts$/, '.js')}`),
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
  it('holds every source that runs, compiled, and nothing else', () => {
    expect(compare(packed, expectedFiles())).toEqual({ missing: [], tooMuch: [] })
  })

  it('would be caught with a file too few or too many', () => {
    expect(
      compare(
        packed.filter(file => file !== 'dist/temporal/server/keeper.js'),
        expectedFiles(),
      ),
    ).toEqual({ missing: ['dist/temporal/server/keeper.js'], tooMuch: [] })
    expect(compare([...packed, 'dist/test/x.test.js', '.env'], expectedFiles())).toEqual({
      missing: [],
      tooMuch: ['dist/test/x.test.js', '.env'],
    })
  })

  it('says nothing of the machine that built it', () => {
    const bundle = readFileSync(join(installed, 'dist', 'workflow-bundle.js'), 'utf8')
    const map = Buffer.from(/base64,([A-Za-z0-9+/=]+)\s*$/.exec(bundle)![1]!, 'base64').toString(
      'utf8',
    )
    expect(map).toContain('workflows/sync-stream.ts')
    expect(map.includes(root)).toBe(false)
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

  it('runs the demo, with its threads and children as JavaScript, and leaves no process behind', () => {
    const { status, stdout, stderr } = run('demo', '--days', '3', '--json')
    expect(status, stderr).toBe(0)
    const { files } = JSON.parse(stdout) as { files: { path: string }[] }
    expect(files.length).toBeGreaterThan(30)
    expect(
      readdirSync(join(project, 'tillage-data', 'demo', 'exports'), {
        recursive: true,
        encoding: 'utf8',
      }).some(name => name.endsWith('.parquet')),
    ).toBe(true)
    expect(runningIn(project)).toEqual([])
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
