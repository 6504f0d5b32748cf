import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { COMMANDS } from '../commands/index.ts'
import { ROLES } from '../commands/up/serve.ts'
import { loadConfig } from '../config.ts'
import type { Config } from '../config.ts'
import { isServerAddress } from '../connectors/server-address.ts'

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

/** What the program would not understand of `worker ...`, as an image or a pod starts it. */
async function findMistakes([name, ...words]: readonly string[]): Promise<string[]> {
  const loaded = await COMMANDS.find(one => one.name === name)?.load()
  if (loaded === undefined || 'subcommands' in loaded) return [`${name} is no command`]
  const known = (loaded.options ?? []).map(({ long }) => long)
  return [
    ...words.filter(word => word.startsWith('--') && !known.includes(word)),
    ...rolesOf(words).filter(role => !ROLES.some(one => one === role)),
  ]
}

const after = (words: readonly string[], option: string): string =>
  words[words.indexOf(option) + 1]!
const rolesOf = (words: readonly string[]): string[] => after(words, '--role').split(',')
const drainSecondsOf = (words: readonly string[]): number => Number(after(words, '--drain'))

test('a role, an option and a command that do not exist would be found', async () => {
  expect(await findMistakes(['wroker', '--role', 'read'])).toEqual(['wroker is no command'])
  expect(await findMistakes(['worker', '--role', 'read,wirte', '--drian'])).toEqual([
    '--drian',
    'wirte',
  ])
})

test('the compose file of a cluster starts workers with all roles, each as locked up as the one of one machine', async () => {
  const text = read('docs/deploy/cluster-compose.yaml')
  const { services } = parse(text, { merge: true }) as { services: Record<string, Service> }
  for (const service of Object.values(services)) {
    const { command, stop_grace_period: grace, read_only: isReadOnly, cap_drop: dropped } = service
    expect(await findMistakes(command)).toEqual([])
    expect(Number.parseInt(grace)).toBeGreaterThan(drainSecondsOf(command))
    expect([isReadOnly, dropped]).toEqual([true, ['ALL']])
    expect(existsSync(join(ROOT, 'docs/deploy', service.build.context))).toBe(true)
  }
  const roles = Object.values(services).flatMap(({ command }) => rolesOf(command))
  expect(roles.toSorted()).toEqual(ROLES.toSorted())
  expect(services['schedule']!['profiles']).toEqual(['schedule'])
})

interface Service extends Record<string, unknown> {
  command: string[]
  build: { context: string }
  stop_grace_period: string
}

describe('the objects for Kubernetes', () => {
  const objects = parseAllDocuments(read('docs/deploy/kubernetes.yaml')).map(one => {
    expect(one.errors).toEqual([])
    return one.toJS() as KubernetesObject
  })
  const [settings, ...deployments] = objects as [KubernetesObject, ...KubernetesObject[]]
  const podOf = ({ spec }: KubernetesObject): Pod => spec!.template.spec
  const file = settings.data!['tillage.yaml']!
  const config = loadSettings(file)

  test('have settings that the program reads, for servers and no file', () => {
    expect(isServerAddress(config.database)).toBe(true)
    expect(config.temporal).not.toBe('embedded')
    expect(() => loadSettings(file.replace('exports:', 'exprots:'))).toThrow('exports')
  })

  test('start workers with all roles, one of which alone has that of schedules', async () => {
    const workers = deployments.map(one => ({ ...one.spec!, ...podOf(one) }))
    for (const { terminationGracePeriodSeconds, containers } of workers) {
      const [{ args }] = containers
      expect(await findMistakes(args)).toEqual([])
      expect(terminationGracePeriodSeconds).toBeGreaterThan(drainSecondsOf(args))
    }
    const roles = workers.flatMap(({ containers: [{ args }] }) => rolesOf(args))
    expect(roles.toSorted()).toEqual(ROLES.toSorted())
    const [{ replicas, strategy, containers }] = workers as [(typeof workers)[number]]
    expect(rolesOf(containers[0].args)).toEqual(['schedule'])
    expect([replicas, strategy]).toEqual([1, { type: 'Recreate' }])
  })

  test('differ in nothing else', () => {
    const [one, other] = deployments.map(podOf).map(pod => {
      const [{ args: _, ...container }] = pod.containers
      return { ...pod, containers: [container] }
    })
    expect(other).toEqual(one)
  })

  test('ask the pages that there are, where they are served to others', () => {
    const pages = read('metrics/server.ts')
    const [{ ports, startupProbe, livenessProbe, readinessProbe }] = podOf(
      deployments[0]!,
    ).containers
    expect(config.metrics!.listen).toEqual({ host: '0.0.0.0', port: ports[0]!.containerPort })
    for (const { httpGet } of [startupProbe, livenessProbe, readinessProbe]) {
      expect(httpGet.port).toBe(ports[0]!.name)
      expect(pages).toContain(`'${httpGet.path}'`)
    }
    expect(pages).not.toContain(`'/healthz'`)
  })
})

interface Probe {
  httpGet: { path: string; port: string }
}

interface Pod {
  terminationGracePeriodSeconds: number
  containers: [
    {
      args: string[]
      ports: { name: string; containerPort: number }[]
      startupProbe: Probe
      livenessProbe: Probe
      readinessProbe: Probe
    },
  ]
}

interface KubernetesObject {
  data?: Record<string, string>
  spec?: { replicas: number; strategy?: object; template: { spec: Pod } }
}

/** Each variable that they name has a value, as the Secret gives it. */
function loadSettings(text: string): Config {
  const folder = mkdtempSync(join(tmpdir(), 'tillage-deploy-'))
  const path = join(folder, 'tillage.yaml')
  const names = [...text.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => [name!, `x${name}`] as const)
  try {
    writeFileSync(path, text)
    return loadConfig(path, Object.fromEntries(names))
  } finally {
    rmSync(folder, { recursive: true })
  }
}
