import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../config.ts'
import { KEYS, load, problemsOf, STORE, makeFolder } from './loading.ts'

const folder = makeFolder()

describe('a configuration', () => {
  it('needs a store and nothing else', () => {
    const config = load(`stores:${STORE}`)
    expect(config).toMatchObject({
      stores: [
        {
          id: 'downtown',
          baseUrl: 'https://partner.example',
          partnerKey: KEYS.PARTNER,
          developerKey: KEYS.DOWNTOWN,
          dayStartsAt: '00:00',
          limits: { concurrency: 8, requestsPerSecond: Infinity },
        },
      ],
      database: join(folder, 'tillage-data/tillage.db'),
      exports: join(folder, 'tillage-data/exports'),
      temporal: 'embedded',
      schedules: {
        nightly: { at: '03:30', export: [], formats: ['parquet', 'csv'] },
        sweep: { every: 'weekly', days: 60 },
        check: { every: 'daily', windows: 5 },
      },
    })
    expect(config.stores[0]).not.toHaveProperty('timeZone')
  })

  it('may not keep books of a store that it does not have', () => {
    expect(problemsOf(`stores:${STORE}\naccounting: { stores: { uptown: { code: U1 } } }`)).toEqual(
      ['accounting.stores.uptown is about a store that is not in stores'],
    )
    expect(
      load(`stores:${STORE}\naccounting: { stores: { downtown: { code: D1 } } }`).accounting.stores,
    ).toEqual({ downtown: { code: 'D1' } })
  })

  it('may not give one journal number to two stores', () => {
    const two = (codes: string, other = 'uptown'): string =>
      `stores:${STORE}${STORE.replace('downtown', other)}\naccounting: { stores: ${codes} }`
    const shared = [
      'the stores downtown and uptown would share their journal numbers; give each its own code: accounting.stores.uptown.code',
    ]
    expect(problemsOf(two('{ downtown: { code: S1 }, uptown: { code: S1 } }'))).toEqual(shared)
    expect(problemsOf(two('{ downtown: { code: s1 }, uptown: { code: S1 } }'))).toEqual(shared)
    expect(problemsOf(two('{ downtown: { code: Uptown } }'))).toEqual(shared)
    expect(problemsOf(two('{}', 'Downtown'))).toEqual([
      expect.stringContaining('differ by the case'),
      expect.stringContaining('would share their journal numbers'),
    ])
    expect(load(two('{ downtown: { code: S1 }, uptown: { code: S2 } }')).stores).toHaveLength(2)
  })

  it('has account names that QuickBooks Desktop can read, where its format is asked for', () => {
    const named = (formats: string, iif = ''): string =>
      `stores:${STORE}\naccounting: { formats: ${formats}, accounts: { tips: { code: "2300", name: "\u58F2"${iif} } } }`
    const problem =
      'accounting.accounts.tips has a character that QuickBooks Desktop cannot read (it reads Windows-1252); give its name there: { code, name, iif }'
    expect(problemsOf(named('[iif]'))).toEqual([problem])
    expect(problemsOf(`${named('[qbo]')}\nschedules: { nightly: { journal: [iif] } }`)).toEqual([
      problem,
    ])
    expect(load(named('[iif]', ', iif: Tips')).accounting.formats).toEqual(['iif'])
    expect(load(named('[qbo]')).accounting.formats).toEqual(['qbo'])
  })

  it('may say everything', () => {
    const config = load(`
stores:${STORE}
    timeZone: America/Los_Angeles
    dayStartsAt: "02:00"
    limits: { concurrency: 4, requestsPerSecond: 2.5 }
database: /data/tillage.db
exports: ../exports
temporal: { address: "temporal:7233", namespace: shop, apiKey: "\${PARTNER}", tls: true }
schedules: { nightly: { at: "04:15" } }`)
    expect(config).toMatchObject({
      stores: [
        {
          timeZone: 'America/Los_Angeles',
          dayStartsAt: '02:00',
          limits: { concurrency: 4, requestsPerSecond: 2.5 },
        },
      ],
      database: '/data/tillage.db',
      exports: join(folder, '../exports'),
      temporal: { address: 'temporal:7233', namespace: 'shop', apiKey: KEYS.PARTNER, tls: true },
      schedules: { nightly: { at: '04:15' } },
    })
  })

  it('has exports in a bucket, mirrored beside the database, each bucket by itself', () => {
    const inBucket = (exports: string) =>
      load(`stores:${STORE}\ndatabase: /data/tillage.db\nexports: ${exports}`)
    const plain = inBucket('s3://books/tillage/')
    expect(plain.objects).toMatchObject({ url: 's3://books/tillage', mirror: plain.exports })
    expect(plain.exports).toMatch(/^\/data\/exports-of-books-[0-9a-f]{8}$/)
    const { objects } = inBucket(
      '{ url: s3://books/tillage, endpoint: "https://objects.example", region: eu-1, pathStyle: true }',
    )
    expect(objects).toMatchObject({
      url: 's3://books/tillage',
      endpoint: 'https://objects.example',
      region: 'eu-1',
      pathStyle: true,
    })
    expect(objects!.mirror).not.toBe(plain.exports)
    expect(inBucket('./out').objects).toBeUndefined()
  })

  it('names the certificates for Temporal by files beside it', () => {
    const withTls = (tls: string): string =>
      `stores:${STORE}\ntemporal: { address: "temporal:7233", tls: ${tls} }`
    expect(
      load(withTls('{ cert: tls/us.pem, key: /keys/us.pem, serverName: books }')),
    ).toMatchObject({
      temporal: {
        tls: { cert: join(folder, 'tls/us.pem'), key: '/keys/us.pem', serverName: 'books' },
      },
    })
    for (const wrong of ['{ cert: us.pem }', '{ certificate: us.pem }', '"yes"', '{ ca: 1 }'])
      expect(problemsOf(withTls(wrong))).toEqual([
        'temporal.tls must be true, false, or { cert, key, ca, serverName }: files of PEM, ' +
          'relative to this one, cert and key both or none',
      ])
  })

  it('says what runs when', () => {
    const config = load(`
stores:${STORE}
schedules:
  nightly: { at: "02:30", deadline: "05:00", export: [transactions], formats: [csv], journal: [qbo], jitterMinutes: 0 }
  sweep: { every: monthly, days: 90 }
  check: { every: never }`)
    expect(config.schedules).toMatchObject({
      nightly: { at: '02:30', deadline: '05:00', export: ['transactions'], journal: ['qbo'] },
      sweep: { every: 'monthly', at: '04:30', days: 90 },
      check: { every: 'never' },
    })
  })

  it('has paths relative to its own folder, wherever the command runs', () => {
    mkdirSync(join(folder, 'inner'))
    const file = join(folder, 'inner', 'tillage.yaml')
    writeFileSync(file, `database: here.db\nexports: ./out\nstores:${STORE}`)
    expect(loadConfig(file, KEYS)).toMatchObject({
      file,
      database: join(folder, 'inner/here.db'),
      exports: join(folder, 'inner/out'),
    })
  })
})
