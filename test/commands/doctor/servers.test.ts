import { afterEach, describe, expect, it, test, vi } from 'vitest'
import { adviseOnServers, describeServers } from '../../../commands/doctor/servers.ts'
import { readServerFacts } from '../../../connectors/database.ts'
import { readNamespace } from '../../../temporal/read-namespace.ts'
import { SEARCH_ATTRIBUTES } from '../../../workflows/start-facts.ts'
import { postgresForTests } from '../../helpers/postgres.ts'
import { startProject, storesOf } from '../../helpers/project.ts'
import { ownNamespace } from '../../helpers/temporal.ts'

const HOUR_MS = 3_600_000
const database = {
  place: 'db.example/books',
  version: 'PostgreSQL 18.4',
  clockAheadMs: 20,
  extensions: [],
}
const temporal = {
  address: 'temporal.example:7233',
  namespace: 'books',
  serverVersion: '1.29.1',
  retentionMs: 24 * HOUR_MS,
  missingAttributes: [],
}
const advice = (changed: object): string[] =>
  adviseOnServers({
    database: { ...database, ...changed },
    temporal: { ...temporal, ...changed },
    trouble: null,
  })

describe('advice on servers', () => {
  it('is none where they are well, or where there are none', () => {
    expect(advice({})).toEqual([])
    expect(adviseOnServers({ database: null, temporal: null, trouble: null })).toEqual([])
    expect(describeServers({ database: null, temporal: null, trouble: null })).toEqual([])
  })

  it.each([
    [{ clockAheadMs: 6_000 }, "the database server's clock is 6 s behind this machine's: set both"],
    [{ clockAheadMs: -3 * HOUR_MS }, "clock is 3 hours ahead of this machine's"],
    [{ serverVersion: '1.28.3' }, 'is version 1.28.3, and 1.29.1 is the oldest'],
    [
      { retentionMs: HOUR_MS },
      'temporal operator namespace update --namespace books --retention 3d',
    ],
    [
      { missingAttributes: ['TillageDay'] },
      'temporal operator search-attribute create --namespace books --name TillageDay --type Keyword',
    ],
  ])('is given for %o', (changed, said) => {
    expect(advice(changed)).toEqual([expect.stringContaining(said)])
  })

  it.each([{ clockAheadMs: 4_999 }, { clockAheadMs: -4_999 }, { serverVersion: '1.30.0-150.2' }])(
    'is not given for %o',
    changed => {
      expect(advice(changed)).toEqual([])
    },
  )

  it('says of each server what it is', () => {
    expect(describeServers({ database, temporal, trouble: null })).toEqual([
      'db.example/books: PostgreSQL 18.4, whose clock is that of this machine; no extension is needed (none is there)',
      'Temporal at temporal.example:7233: version 1.29.1; namespace books keeps runs that are over for 24 hours',
    ])
  })
})

describe('real servers', () => {
  afterEach(() => void vi.useRealTimers())

  test('tell how far their clock is from that of this machine', async () => {
    const { url } = await postgresForTests()
    const here = await readServerFacts(url)
    expect(here).toMatchObject({
      version: expect.stringMatching(/^PostgreSQL \d/) as string,
      extensions: [],
    })
    expect(Math.abs(here!.clockAheadMs)).toBeLessThan(60_000)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + HOUR_MS, shouldAdvanceTime: true })
    const { clockAheadMs } = (await readServerFacts(url))!
    expect(clockAheadMs).toBeGreaterThan(HOUR_MS - 60_000)
    expect(await readServerFacts('./a-file.db')).toBeUndefined()
  })

  test('tell how a namespace is kept', async () => {
    expect(await readNamespace({ kind: 'address', ...(await ownNamespace()) })).toMatchObject({
      serverVersion: expect.stringMatching(/^1\.\d+\.\d+/) as string,
      retentionMs: 24 * HOUR_MS,
      missingAttributes: SEARCH_ATTRIBUTES,
    })
  })
})

test('doctor tells what it found of servers, and 1 where Temporal does not answer', async () => {
  const { project, sandbox, close } = await startProject(
    { stores: 1, days: 1 },
    { database: 'PostgreSQL' },
  )
  try {
    const { status, stdout, stderr } = await project.run('doctor')
    expect(status).toBe(0)
    expect(stdout).toMatch(/PostgreSQL \d+\.\d+, whose clock is that of this machine/)
    expect(stdout).toMatch(/Temporal at \S+: version 1\./)
    expect(stderr).toContain('temporal operator search-attribute create')
    project.configure(storesOf(sandbox), { temporal: { address: '127.0.0.1:1' } })
    const unreachable = await project.run('doctor', '--json')
    expect(unreachable.status).toBe(1)
    expect(JSON.parse(unreachable.stdout)).toMatchObject({
      temporal: { error: { code: 'TEMPORAL_UNREACHABLE' } },
      database: { extensions: [] },
    })
  } finally {
    await close()
  }
})
