import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TemporalError } from '../../../errors.ts'
import { findWrapperModule } from '../../../temporal/cli/build-cli.ts'
import { resolveCacheFolder } from '../../../temporal/cli/cache-folder.ts'
import { cachedCliPath } from '../../../temporal/cli/cli-cache.ts'
import { TEMPORAL_CLI_VERSION } from '../../../temporal/cli/cli-version.ts'
import { refuseOpenLine } from '../../../temporal/cli/download-cli.ts'
import { findTemporalCli } from '../../../temporal/cli/find-cli.ts'
import { goScript, makeFolder, TEMPORAL_SCRIPT, writeProgram } from './fake-programs.ts'

const NOBODY = 'http://127.0.0.1:1'

describe('findTemporalCli', () => {
  let folder: string
  let cacheFolder: string
  let bin: string
  let calls: string
  let lines: string[]
  const find = (env: NodeJS.ProcessEnv = {}, downloadFrom = NOBODY) =>
    findTemporalCli({
      progress: line => lines.push(line),
      env: { PATH: bin, ...env },
      cacheFolder,
      downloadFrom,
    })
  const failure = async (env: NodeJS.ProcessEnv = {}, downloadFrom = NOBODY) => {
    const error: unknown = await find(env, downloadFrom).then(
      path => path,
      (reason: unknown) => reason,
    )
    if (!(error instanceof TemporalError))
      throw new Error(`expected a TemporalError, got ${String(error)}`)
    expect(error.code).toBe('TEMPORAL_MISSING')
    return error
  }

  beforeEach(() => {
    folder = makeFolder()
    cacheFolder = join(folder, 'cache')
    bin = join(folder, 'bin')
    calls = join(folder, 'calls')
    lines = []
    mkdirSync(bin)
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('takes TEMPORAL_CLI before everything else', async () => {
    const chosen = writeProgram(join(folder, 'chosen'), TEMPORAL_SCRIPT)
    writeProgram(cachedCliPath(cacheFolder), TEMPORAL_SCRIPT)
    writeProgram(join(bin, 'temporal'), TEMPORAL_SCRIPT)
    expect(await find({ TEMPORAL_CLI: chosen })).toBe(chosen)
  })

  it.each([
    ['is not there', undefined, 'there is no such file'],
    ['fails', 'echo broken >&2; exit 3', 'it ended with status 3: broken'],
    ['is another program', 'echo "nano 7.2"', 'instead of a Temporal version'],
  ])(
    'refuses a TEMPORAL_CLI that %s, although a good one is cached and on PATH',
    async (_title, script, said) => {
      const chosen = join(folder, 'chosen')
      if (script !== undefined) writeProgram(chosen, script)
      writeProgram(cachedCliPath(cacheFolder), TEMPORAL_SCRIPT)
      writeProgram(join(bin, 'temporal'), TEMPORAL_SCRIPT)
      const error = await failure({ TEMPORAL_CLI: chosen })
      expect(error.message).toContain(chosen)
      expect(error.message).toContain(said)
      expect(error.remedy).toContain('TEMPORAL_CLI')
    },
  )

  it('refuses a TEMPORAL_CLI that is not executable', async () => {
    const chosen = join(folder, 'chosen')
    writeFileSync(chosen, TEMPORAL_SCRIPT)
    expect((await failure({ TEMPORAL_CLI: chosen })).message).toContain('not executable')
  })

  it('takes the cached one before the one on PATH', async () => {
    const cached = writeProgram(cachedCliPath(cacheFolder), TEMPORAL_SCRIPT)
    writeProgram(join(bin, 'temporal'), TEMPORAL_SCRIPT)
    expect(await find()).toBe(cached)
  })

  it('takes the one on PATH when the cached one does not run', async () => {
    writeProgram(cachedCliPath(cacheFolder), 'exit 1')
    const onPath = writeProgram(join(bin, 'temporal'), TEMPORAL_SCRIPT)
    expect(await find()).toBe(onPath)
  })

  it.each([
    ['older than what the server is started with', 'temporal version 1.7.9 (Server 1.30)'],
    ['of no known version', 'temporal version DEV'],
  ])('passes by one on PATH that is %s', async (_, answer) => {
    writeProgram(join(bin, 'temporal'), `echo "${answer}"`)
    const good = writeProgram(join(folder, 'more', 'temporal'), TEMPORAL_SCRIPT)
    expect(await find({ PATH: `${bin}:${join(folder, 'more')}` })).toBe(good)
  })

  it('finds a good one on PATH behind a broken one', async () => {
    writeProgram(join(bin, 'temporal'), 'exit 1')
    const good = writeProgram(join(folder, 'more', 'temporal'), TEMPORAL_SCRIPT)
    expect(await find({ PATH: `${bin}:${join(folder, 'more')}` })).toBe(good)
  })

  it('builds with Go when nothing else works, and has it cached from then on', async () => {
    writeProgram(join(bin, 'go'), goScript(calls))
    expect(await find()).toBe(cachedCliPath(cacheFolder))
    expect(await find()).toBe(cachedCliPath(cacheFolder))
    expect(readFileSync(calls, 'utf8').trim().split('\n')).toHaveLength(1)
    expect(readFileSync(calls, 'utf8')).toContain(`0 ${findWrapperModule()} build`)
    expect(lines[0]).toContain('four to twelve minutes')
  })

  it('runs a cached one once, and again when the file is another one', async () => {
    const cached = writeProgram(
      cachedCliPath(cacheFolder),
      `echo run >> ${calls}; ${TEMPORAL_SCRIPT}`,
    )
    const runs = (): number => readFileSync(calls, 'utf8').split('\n').length - 1
    expect(await find()).toBe(cached)
    expect(await find()).toBe(cached)
    expect(runs()).toBe(1)
    writeProgram(cached, `echo run >> ${calls}; ${TEMPORAL_SCRIPT} # another`)
    expect(await find()).toBe(cached)
    expect(runs()).toBe(2)
    writeProgram(cached, 'exit 1')
    expect((await failure()).message).toContain('our cache')
  })

  it('replaces a cached one that does not run', async () => {
    writeProgram(cachedCliPath(cacheFolder), 'exit 1')
    writeProgram(join(bin, 'go'), goScript(calls))
    expect(await find()).toBe(cachedCliPath(cacheFolder))
  })

  it('names all five ways and what happened to each when there is none', async () => {
    const error = await failure()
    expect(error.message.split('\n').slice(1)).toEqual([
      '  1. TEMPORAL_CLI: not set',
      `  2. our cache, ${cachedCliPath(cacheFolder)}: not there yet`,
      '  3. PATH: no temporal in it',
      expect.stringMatching(/^ {2}4\. download from http:\/\/127\.0\.0\.1:1: ./),
      '  5. build with Go: "go version" does not work: there is no such program',
    ])
    for (const word of ['TEMPORAL_CLI', 'Go', 'tillage.yaml', 'https://docs.temporal.io/cli'])
      expect(error.remedy).toContain(word)
  })

  it('quotes Go when the build fails, and keeps nothing of it', async () => {
    writeProgram(
      join(bin, 'go'),
      '[ "$1" = version ] && exit 0; echo "go: errors parsing go.mod" >&2; exit 1',
    )
    expect((await failure()).message).toContain('go: errors parsing go.mod')
    expect(
      readdirSync(join(cacheFolder, 'temporal')).filter(name => !name.endsWith('.lock')),
    ).toEqual([])
  })

  it('does not cache a build that does not run', async () => {
    writeProgram(join(bin, 'go'), goScript(calls).replace('temporal version', 'something else'))
    expect((await failure()).message).toContain('instead of a Temporal version')
    expect(existsSync(cachedCliPath(cacheFolder))).toBe(false)
  })

  it('says so when the cache folder cannot be used', async () => {
    writeFileSync(cacheFolder, 'a file where a folder should be')
    expect((await failure()).message).toContain('the cache folder cannot be written')
  })

  describe('with a download service', () => {
    let server: Server
    let requests: string[]
    let info: object
    let service: string

    beforeEach(async () => {
      requests = []
      const source = join(folder, 'source')
      writeProgram(join(source, 'temporal'), TEMPORAL_SCRIPT)
      execFileSync('tar', ['-czf', join(folder, 'temporal.tar.gz'), '-C', source, 'temporal'])
      server = createServer((request, response) => {
        requests.push(request.url ?? '')
        if (request.url?.startsWith('/cli/') === true) response.end(JSON.stringify(info))
        else if (request.url === '/temporal.tar.gz')
          response.end(readFileSync(join(folder, 'temporal.tar.gz')))
        else response.writeHead(404).end()
      })
      await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
      service = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      info = { archiveUrl: `${service}/temporal.tar.gz`, fileToExtract: 'temporal' }
    })
    afterEach(() => new Promise(resolve => server.close(resolve)))

    it('downloads our version for this machine once and has it cached from then on', async () => {
      expect(await find({}, service)).toBe(cachedCliPath(cacheFolder))
      expect(await find({}, service)).toBe(cachedCliPath(cacheFolder))
      expect(requests).toHaveLength(2)
      expect(requests[0]).toMatch(
        /^\/cli\/v[\d.]+\?arch=(amd64|arm64)&platform=(linux|darwin|windows)&format=tar\.gz$/,
      )
      expect(requests[0]).toContain(`/v${TEMPORAL_CLI_VERSION}?`)
    })

    it('takes an archive of the sha256 that TEMPORAL_CLI_SHA256 names, and no other', async () => {
      const archive = readFileSync(join(folder, 'temporal.tar.gz'))
      const sha256 = createHash('sha256').update(archive).digest('hex')
      const other = 'ab'.repeat(32)
      expect((await failure({ TEMPORAL_CLI_SHA256: other }, service)).message).toContain(
        `.tar.gz has the sha256 ${sha256}, and TEMPORAL_CLI_SHA256 is ${other}`,
      )
      expect(existsSync(cachedCliPath(cacheFolder))).toBe(false)
      expect(await find({ TEMPORAL_CLI_SHA256: sha256.toUpperCase() }, service)).toBe(
        cachedCliPath(cacheFolder),
      )
    })

    it('follows a service with TLS to nothing without it', () => {
      const service = 'https://temporal.download'
      expect(() => refuseOpenLine(service, 'http://cdn.example/temporal.tar.gz')).toThrow(
        'leads to http://cdn.example/temporal.tar.gz, which is not https://',
      )
      expect(() => refuseOpenLine(service, 'https://cdn.example/temporal.tar.gz')).not.toThrow()
      expect(() => refuseOpenLine('http://127.0.0.1:1', 'http://127.0.0.1:1/x')).not.toThrow()
    })

    it('remembers the sum of the first archive, says so, and refuses another of the same version', async () => {
      const said: string[] = []
      const options = { progress: (line: string) => said.push(line), cacheFolder }
      const env = { PATH: bin }
      const cached = await findTemporalCli({ ...options, env, downloadFrom: service })
      const archive = readFileSync(join(folder, 'temporal.tar.gz'))
      const sha256 = createHash('sha256').update(archive).digest('hex')
      expect(said.join('\n')).toContain(`as the first of this machine: sha256 ${sha256}`)

      rmSync(cached)
      expect(await find({}, service)).toBe(cached)
      rmSync(cached)
      writeFileSync(join(folder, 'temporal.tar.gz'), Buffer.concat([archive, Buffer.alloc(512)]))
      expect((await failure({}, service)).message).toContain(
        `and the one that this machine downloaded first had ${sha256}`,
      )
      expect(existsSync(cached)).toBe(false)
    })

    it.each([
      [
        'an archive that is not there',
        () => ({ archiveUrl: `${service}/nothing.tar.gz`, fileToExtract: 'temporal' }),
        'answered 404',
      ],
      ['an answer that it does not know', () => ({ hello: 'world' }), 'archiveUrl'],
      [
        'a file name that leaves the folder',
        () => ({ archiveUrl: `${service}/temporal.tar.gz`, fileToExtract: '..' }),
        'fileToExtract',
      ],
      [
        'a file name that is an option',
        () => ({ archiveUrl: `${service}/temporal.tar.gz`, fileToExtract: '--checkpoint' }),
        'fileToExtract',
      ],
      [
        'an archive without the program',
        () => ({ archiveUrl: `${service}/temporal.tar.gz`, fileToExtract: 'another' }),
        'tar could not unpack',
      ],
    ])('goes on past %s', async (_title, answer, said) => {
      info = answer()
      expect((await failure({}, service)).message).toContain(said)
      writeProgram(join(bin, 'go'), goScript(calls))
      expect(await find({}, service)).toBe(cachedCliPath(cacheFolder))
    })
  })
})

describe('the version of the Temporal CLI', () => {
  it('is the one that the Go module pins', () => {
    expect(readFileSync(join(findWrapperModule(), 'go.mod'), 'utf8')).toContain(
      `github.com/temporalio/cli v${TEMPORAL_CLI_VERSION}`,
    )
  })
})

describe('resolveCacheFolder', () => {
  it('prefers TILLAGE_CACHE over XDG_CACHE_HOME over the home folder', () => {
    expect(resolveCacheFolder({ TILLAGE_CACHE: '/ours', XDG_CACHE_HOME: '/xdg' })).toBe('/ours')
    expect(resolveCacheFolder({ TILLAGE_CACHE: '', XDG_CACHE_HOME: '/xdg' })).toBe('/xdg/tillage')
    expect(resolveCacheFolder({})).toMatch(/\.cache\/tillage$/)
  })
})
