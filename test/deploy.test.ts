import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { COMMANDS } from '../commands/index.ts'

/** The files of docs/deploy/ name what is here; `tools/try-image.sh` carries them out. */
const ROOT = join(import.meta.dirname, '..')
const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8')
const manifest = JSON.parse(read('package.json')) as { bin: object; engines: object }

/** `COPY FROM... TO` of the clone, not of another stage. */
const copied = (dockerfile: string): string[] =>
  [...dockerfile.matchAll(/^COPY (?!--from)(.+)$/gm)].flatMap(match =>
    match[1]!.split(' ').slice(0, -1),
  )

describe('the image', () => {
  const dockerfile = read('docs/deploy/Dockerfile')

  test('is made of files that are here', () => {
    expect(copied('COPY a b/c ./\nCOPY --from=x /y /z')).toEqual(['a', 'b/c'])
    expect(copied(dockerfile)).not.toEqual([])
    for (const path of copied(dockerfile))
      expect([path, existsSync(join(ROOT, path))]).toEqual([path, true])
  })

  test('builds the server with a Go that its module takes, and runs on the Node of the package', () => {
    const [, needed] = /^go (\d+\.\d+)/m.exec(read('tools/temporal/go.mod'))!
    expect(dockerfile).toContain(`FROM golang:${needed}-`)
    const nodes = [...dockerfile.matchAll(/^FROM node:(\d+)-/gm)].map(([, major]) => major)
    const [major] = process.versions.node.split('.')
    expect(new Set(nodes)).toEqual(new Set([major]))
  })

  test('runs as nobody special, and starts what the package installs', () => {
    expect(dockerfile).toMatch(/^USER [1-9]\d*$/m)
    expect(Object.keys(manifest.bin)).toEqual(['tillage'])
    expect(dockerfile).toContain('ENTRYPOINT ["/app/node_modules/.bin/tillage"]')
    expect(dockerfile).toContain('CMD ["up"]')
  })
})

test('the compose file builds that image, with a root that is read-only and no rights', () => {
  const { services } = parse(read('docs/deploy/compose.yaml')) as {
    services: Record<string, Record<string, unknown>>
  }
  const { build, read_only: isReadOnly, cap_drop: dropped } = services['tillage']!
  const { context, dockerfile } = build as { context: string; dockerfile: string }
  expect(existsSync(join(ROOT, 'docs/deploy', context, dockerfile))).toBe(true)
  expect([isReadOnly, dropped]).toEqual([true, ['ALL']])
})

test('the unit starts a command that there is, and lets it write its own folder alone', () => {
  const unit = read('docs/deploy/tillage.service')
  const setting = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)![1]!
  const [program, command] = setting('ExecStart').split(' ')
  expect(program).toBe(`${setting('WorkingDirectory')}/node_modules/.bin/tillage`)
  expect(COMMANDS.map(({ name }) => name)).toContain(command)
  expect(setting('ReadWritePaths')).toBe(setting('WorkingDirectory'))
  expect(setting('Environment')).toContain(`TILLAGE_CACHE=${setting('WorkingDirectory')}/`)
})
