import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { PROFILES } from '../../../sandbox/faults/profiles.ts'
import type { Sandbox } from '../../../sandbox/server.ts'
import type { Page, Row } from '../asking.ts'
import { ask, askJson, control, idsOf, sandboxWith, truth } from '../asking.ts'

const DAYS = '/transactions?startDate=03/09/2026&endDate=03/14/2026'
const pageOf = (sandbox: Sandbox, query = ''): Promise<Page> =>
  askJson<Page>(sandbox, `${DAYS}${query}`)

/** All pages by the offset of the next row, as a reader that trusts nobody would do it. */
async function sweep(sandbox: Sandbox, path = DAYS): Promise<Row[]> {
  const rows: Row[] = []
  for (let empty = 0; empty < 2;) {
    const { values } = await askJson<Page>(sandbox, `${path}&skip=${rows.length}`)
    rows.push(...values)
    empty = values.length === 0 ? empty + 1 : 0
  }
  return rows
}

const honest = await sandboxWith()
const expected = (await sweep(honest)) as readonly Row[]
const total = expected.length

it('is documented, each profile by its line', () => {
  const readme = readFileSync(new URL('../../../sandbox/README.md', import.meta.url), 'utf8')
  for (const [name, { does }] of Object.entries(PROFILES))
    expect(readme).toContain(`| \`${name}\` | ${does} |`)
})

describe('pages', () => {
  it('cap37 gives 37 rows, and all of them in the end', async () => {
    const sandbox = await sandboxWith({ profiles: ['cap37'] })
    expect((await pageOf(sandbox)).values).toHaveLength(37)
    expect(await sweep(sandbox)).toEqual(expected)
  })

  it('limit-refused refuses a limit of 61, and gives 60 rows', async () => {
    const sandbox = await sandboxWith({ profiles: ['limit-refused'] })
    expect(await ask(sandbox, `${DAYS}&limit=61`)).toMatchObject({ status: 400 })
    expect((await pageOf(sandbox, '&limit=60')).values).toHaveLength(60)
    expect(await sweep(sandbox)).toEqual(expected)
  })

  it('cap-unlimited gives more than asked', async () => {
    const sandbox = await sandboxWith({ profiles: ['cap-unlimited'] })
    expect((await pageOf(sandbox, '&limit=100')).values).toHaveLength(150)
    expect((await pageOf(sandbox, '&limit=10000')).values).toEqual(expected)
  })

  it('short-pages differ in length, but never for the same offset, and lose nothing', async () => {
    const sandbox = await sandboxWith({ profiles: ['short-pages'] })
    const lengths = await Promise.all(
      [0, 0, 100, 200].map(async skip => (await pageOf(sandbox, `&skip=${skip}`)).values.length),
    )
    expect(lengths[0]).toBe(lengths[1])
    expect(new Set(lengths).size).toBeGreaterThan(1)
    expect(await sweep(sandbox)).toEqual(expected)
  })

  it('empty-middle has an empty page before the last', async () => {
    const sandbox = await sandboxWith({ profiles: ['empty-middle'] })
    expect((await pageOf(sandbox, '&skip=0')).values).toHaveLength(100)
    expect(await pageOf(sandbox, '&skip=100')).toMatchObject({ values: [], total })
    expect((await pageOf(sandbox, '&skip=200')).values).toEqual(expected.slice(200, 300))
  })

  it('offset-ignored repeats the first page, only-start and only-skip do for the other name', async () => {
    const [ignored, start, skip] = await Promise.all([
      sandboxWith({ profiles: ['offset-ignored'] }),
      sandboxWith({ profiles: ['only-start'] }),
      sandboxWith({ profiles: ['only-skip'] }),
    ])
    const first = expected.slice(0, 100)
    const second = expected.slice(100, 200)
    expect((await pageOf(ignored, '&skip=100')).values).toEqual(first)
    expect((await pageOf(start, '&skip=100')).values).toEqual(first)
    expect((await pageOf(start, '&start=100')).values).toEqual(second)
    expect((await pageOf(skip, '&start=100')).values).toEqual(first)
    expect((await pageOf(skip, '&skip=100')).values).toEqual(second)
  })

  it('repeat-ids holds every row, one in ten of them twice', async () => {
    const sandbox = await sandboxWith({ profiles: ['repeat-ids'] })
    const rows = await sweep(sandbox)
    expect(new Set(idsOf(rows))).toEqual(new Set(idsOf(expected)))
    expect(rows).toHaveLength(total + Math.floor(total / 10))
    expect((await pageOf(sandbox)).total).toBe(rows.length)
  })
})

describe('totals', () => {
  it.each([
    ['no-total', undefined],
    ['liar-total-high', total + 7],
    ['liar-total-low', total - Math.floor(total / 10)],
  ])('%s', async (profile, told) => {
    const sandbox = await sandboxWith({ profiles: [profile] })
    expect((await pageOf(sandbox)).total).toBe(told)
    expect(await sweep(sandbox)).toEqual(expected)
  })

  it('moving-total moves', async () => {
    const sandbox = await sandboxWith({ profiles: ['moving-total'] })
    const told = [await pageOf(sandbox), await pageOf(sandbox), await pageOf(sandbox)].map(
      page => page.total,
    )
    expect(new Set(told).size).toBe(3)
  })
})

describe('ranges', () => {
  it('out-of-range holds rows from two days around, dates-ignored all', async () => {
    const [wide, all] = await Promise.all([
      sandboxWith({ profiles: ['out-of-range'] }),
      sandboxWith({ profiles: ['dates-ignored'] }),
    ])
    const around = await sweep(wide)
    expect(around.length).toBeGreaterThan(total)
    expect(idsOf(around)).toEqual(expect.arrayContaining(idsOf(expected)))
    expect((await pageOf(all)).total).toBe(14 * 60)
  })
})

describe('order', () => {
  it('unsorted is another order that stays', async () => {
    const sandbox = await sandboxWith({ profiles: ['unsorted'] })
    const rows = await sweep(sandbox)
    expect(idsOf(rows)).not.toEqual(idsOf(expected))
    expect(idsOf(rows).sort()).toEqual(idsOf(expected).sort())
    expect(await sweep(sandbox)).toEqual(rows)
  })

  it('unstable is another order with each request', async () => {
    const sandbox = await sandboxWith({ profiles: ['unstable'] })
    expect(idsOf((await pageOf(sandbox)).values)).not.toEqual(idsOf((await pageOf(sandbox)).values))
  })

  it('sorted-id and sorted-modified-ascending are what they say', async () => {
    const [byId, ascending] = await Promise.all([
      sandboxWith({ profiles: ['sorted-id'] }),
      sandboxWith({ profiles: ['sorted-modified-ascending'] }),
    ])
    expect(idsOf(await sweep(byId))).toEqual(idsOf(expected).sort())
    expect(await sweep(ascending)).toEqual([...expected].reverse())
  })
})

describe('envelopes', () => {
  it.each([
    ['envelope-search-result', 'count,total,searchResult'],
    ['envelope-results', 'count,cursor,results'],
    ['envelope-values-only', 'values'],
  ])('%s is {%s}', async (profile, keys) => {
    const body = await askJson<Record<string, unknown>>(
      await sandboxWith({ profiles: [profile] }),
      DAYS,
    )
    expect(Object.keys(body).join()).toBe(keys)
    expect(Object.values(body).find(Array.isArray)).toEqual(expected.slice(0, 100))
  })

  it('envelope-array is a bare array', async () => {
    expect(await askJson(await sandboxWith({ profiles: ['envelope-array'] }), DAYS)).toEqual(
      expected.slice(0, 100),
    )
  })

  it('envelope-changes changes after three requests', async () => {
    const sandbox = await sandboxWith({ profiles: ['envelope-changes'] })
    const keys: string[] = []
    for (let at = 0; at < 5; at++) keys.push(Object.keys(await askJson<object>(sandbox, DAYS))[0]!)
    expect(keys).toEqual(['values', 'values', 'values', 'count', 'count'])
  })

  it('error-200 and html-200 are no lists, under status 200', async () => {
    const [error, html] = await Promise.all([
      sandboxWith({ profiles: ['error-200'] }),
      sandboxWith({ profiles: ['html-200'] }),
    ])
    expect(Object.keys(await askJson<object>(error, DAYS))).toEqual([
      'field',
      'message',
      'errorType',
    ])
    const page = await ask(html, DAYS)
    expect([page.status, page.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ])
    expect((await ask(html, '/store')).text).toMatch(/^\{"shop"/)
  })
})

describe('contents', () => {
  it('busy changes rows between requests, the same way each time', async () => {
    const [one, two] = await Promise.all([
      sandboxWith({ profiles: ['busy'] }),
      sandboxWith({ profiles: ['busy'] }),
    ])
    const before = await truth(one, 'transactions')
    const [rows, again] = [await sweep(one), await sweep(two)]
    expect(again).toEqual(rows)
    for (let at = 0; at < 30; at++) await pageOf(one)
    const after = await truth(one, 'transactions')
    expect(after).not.toEqual(before)
    expect(Math.abs(after.length - before.length)).toBeLessThan(30)
    expect(await truth(two, 'members')).toEqual(await truth(one, 'members'))
  })

  it('bad-records spoils about one in 500, always the same ones, and never the truth', async () => {
    const sandbox = await sandboxWith({
      profiles: ['bad-records'],
      transactionsPerDay: 300,
      stores: 1,
    })
    const rows = [
      ...(await sweep(sandbox)),
      ...(await sweep(sandbox, '/transactions?startDate=03/03/2026&endDate=03/08/2026')),
    ]
    const bad = rows.filter(row => row.id === undefined || typeof row['pointsEarned'] === 'string')
    expect(bad.length).toBeGreaterThan(rows.length / 2000)
    expect(bad.length).toBeLessThan(rows.length / 150)
    const whole = await truth(sandbox, 'transactions', '&full=1')
    expect(
      whole.every(row => typeof row['pointsEarned'] === 'number' && row.id !== undefined),
    ).toBe(true)
  })

  it('can be changed while running, and combined', async () => {
    const sandbox = await sandboxWith()
    expect((await control(sandbox, 'POST', '/profiles', ['cap37', 'no-total'])).status).toBe(200)
    const page = await pageOf(sandbox)
    expect([page.values.length, page.total]).toEqual([37, undefined])
    expect((await control(sandbox, 'POST', '/profiles', ['nice'])).status).toBe(400)
    await control(sandbox, 'POST', '/profiles', [])
    expect((await pageOf(sandbox)).values).toHaveLength(100)
  })
})
