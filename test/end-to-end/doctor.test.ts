import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { control, CORE, RANGE, startProject, storesOf } from '../helpers/project.ts'

let started: Awaited<ReturnType<typeof startProject>>
beforeAll(async () => {
  started = await startProject({ stores: 1, transactionsPerDay: 60 })
  // The newest record that is held says which days are worth asking about.
  expect((await started.project.run('sync', ...CORE, ...RANGE)).status).toBe(0)
})
afterAll(() => started.close())

interface Report {
  stores: {
    identity: { companyId: string; shopId: string } | null
    mayReconcile: boolean | null
    facts: { stream: string; name: string; value: string; was?: string }[]
    error: { code: string } | null
  }[]
}

async function examine(): Promise<{
  status: number | null
  report: Report
  value: (stream: string, name: string) => string | undefined
}> {
  const { status, stdout } = await started.project.run('doctor', '--json')
  const report = JSON.parse(stdout) as Report
  return {
    status,
    report,
    value: (stream, name) =>
      report.stores[0]!.facts.find(fact => fact.stream === stream && fact.name === name)?.value,
  }
}

describe('doctor', () => {
  test('concludes nothing about a list from a busy moment of the API', async () => {
    await control(started.sandbox, 'POST', 'faults', [
      { match: '/vendors', status: 429, times: 2 },
      { match: '/brands', status: 503 },
    ])
    try {
      const { value } = await examine()
      expect(value('vendors', 'offered')).toBe('yes')
      expect(value('brands', 'offered')).toBe('no answer')
    } finally {
      await control(started.sandbox, 'DELETE', 'faults')
    }
  })

  test('says why the API lets a key do nothing, and that the path of its address repeats', async () => {
    const [store] = storesOf(started.sandbox) as [{ baseUrl: string }]
    const shown = async (): Promise<string> =>
      (await started.project.run('doctor')).stdout.replaceAll(/\s+/g, ' ')
    await control(started.sandbox, 'POST', 'faults', [{ match: '/store', status: 403 }])
    expect(await shown()).toMatch(
      /PARTNER_PERMISSION: .* The API said: The service could not answer/,
    )
    await control(started.sandbox, 'DELETE', 'faults')
    started.project.configure([{ ...store, baseUrl: `${store.baseUrl}/api/v1/partner` }])
    const repeated = await shown()
    expect(repeated).toMatch(/below the path in baseUrl, answered 404/)
    expect(repeated).toMatch(/it ends with \/api\/v1\/partner/)
    expect(repeated).not.toContain('windows')
    started.project.configure([store])
  })

  test('says how a faithful API behaves', async () => {
    const { status, report, value } = await examine()
    expect(status).toBe(0)
    expect(report.stores[0]!.error).toBeNull()
    expect(value('transactions', 'page cap')).toBe('100')
    expect(value('transactions', 'offset parameter')).toBe('skip and start')
    expect(value('transactions', 'end of a range')).toBe('inclusive')
    expect(value('transactions', 'zone of days')).toBe("the store's")
    expect(value('transactions', 'range of 8 days')).toBe('refused with 400')
    expect(value('members', 'end of a range')).toBe('inclusive')
    expect(value('vendors', 'envelope')).toBe('{values, total}')
    expect(value('', 'unknown path')).toBe('refused with 404')
  })

  test('ends with what to type next', async () => {
    const { stderr } = await started.project.run('doctor')
    expect(stderr).toMatch(/Next: tillage status\n$/)
  })

  test('sees each variant, and what changed since it looked last', async () => {
    await control(started.sandbox, 'POST', 'profiles', [
      'cap37',
      'days-utc',
      'end-exclusive',
      'only-start',
      'sorted-modified-ascending',
      'envelope-search-result',
      'error-list',
    ])
    const { report, value } = await examine()
    expect(value('transactions', 'page cap')).toBe('37')
    expect(value('transactions', 'offset parameter')).toBe('start')
    expect(value('transactions', 'end of a range')).toBe('exclusive')
    expect(value('transactions', 'zone of days')).toBe('UTC')
    expect(value('transactions', 'sort order')).toBe('modified ascending')
    expect(value('members', 'end of a range')).toBe('exclusive')
    expect(report.stores[0]!.facts).toContainEqual(
      expect.objectContaining({ stream: 'transactions', name: 'page cap', was: '100' }),
    )
    expect(
      started.project.query(
        "SELECT value FROM behaviours WHERE stream = 'transactions' AND fact = 'zone of days'",
      ),
    ).toEqual([['UTC']])
  })

  test('what it found is not assumed again: the next sync asks by the name that counts', async () => {
    // As it was when the doctor looked: days that are read in another way would be a finding.
    const variants = ['days-utc', 'end-exclusive', 'only-start']
    await control(started.sandbox, 'POST', 'profiles', variants)
    const { stdout } = await started.project.run(
      'sync',
      'transactions',
      ...RANGE,
      '--again',
      '--json',
    )
    expect(JSON.parse(stdout)).toMatchObject({
      stores: [{ streams: [{ windows: { unproven: 0 }, findings: [] }] }],
    })
    await control(started.sandbox, 'POST', 'profiles', [])
  })

  test('finds the largest limit that a list takes, and the next sync asks for no more', async () => {
    await control(started.sandbox, 'POST', 'profiles', ['limit-refused', 'unsorted'])
    const { value } = await examine()
    expect(value('transactions', 'offered')).toBe('yes')
    expect(value('transactions', 'largest limit')).toBe('60')
    expect(value('transactions', 'page cap')).toBe('60')
    const asked = ['transactions', ...RANGE, '--again', '--json'] as const
    const { stdout } = await started.project.run('sync', ...asked)
    expect(JSON.parse(stdout)).toMatchObject({
      stores: [{ streams: [{ windows: { unproven: 0 }, findings: [] }] }],
    })
    await control(started.sandbox, 'POST', 'profiles', [])
    expect((await examine()).value('transactions', 'largest limit')).toBe('1000 or more')
  })

  test('refuses a key of another shop than the configuration names, and a key that is none', async () => {
    const [store] = storesOf(started.sandbox)
    started.project.configure([{ ...store, shopId: 'another' }])
    const wrong = await examine()
    expect(wrong.status).toBe(1)
    expect(wrong.report.stores[0]!.error?.code).toBe('STORE_UNKNOWN')
    started.project.configure([{ ...store, developerKey: 'nonsense' }])
    expect((await examine()).report.stores[0]!.error?.code).toBe('PARTNER_KEYS')
    started.project.configure([store!])
  })

  test('says for how long a busy API asks to be left alone', async () => {
    await control(started.sandbox, 'POST', 'faults', [
      { match: '/store', status: 429, retryAfter: 37 },
    ])
    try {
      const { status, stdout } = await started.project.run('doctor')
      expect(status).toBe(1)
      expect(stdout).toContain('PARTNER_RATE_LIMIT')
      expect(stdout.replaceAll(/\s+/g, ' ')).toContain('asks to be left alone for 37 s.')
    } finally {
      await control(started.sandbox, 'DELETE', 'faults')
    }
  })
})
