import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../config.ts'
import { failureOf, KEYS, load, problemsOf, STORE, storeWith, makeFolder } from './loading.ts'

const folder = makeFolder()

describe('problems', () => {
  it('are reported all at once, each with its place', () => {
    const problems = problemsOf(`
stores:
  - id: "no spaces please"
    baseUrl: ftp://partner.example
    partnerKey: \${NOT_SET}
    timeZone: Mars/Olympus
    dayStartsAt: "25:00"
    limits: { concurrency: 0, requestsPerSecond: -1, burst: 3 }
    colour: green
temporal: { namespace: shop }
database: 7
stroes: []`)
    const expected = [
      /^\$\{NOT_SET\} is not set/,
      /^stores\[0\]\.id must be letters/,
      /^stores\[0\]\.baseUrl must be an address/,
      /^stores\[0\]\.developerKey is missing/,
      /^stores\[0\]\.timeZone is not a time zone/,
      /^stores\[0\]\.dayStartsAt must be a time/,
      /^stores\[0\]\.limits\.concurrency /,
      /^stores\[0\]\.limits\.requestsPerSecond /,
      /^stores\[0\]\.limits has no entry burst\. Entries there are: concurrency, requestsPerSecond, megabytesPerAnswer, /,
      /^stores\[0\] has no entry colour\. Entries there are: id, baseUrl,/,
      /^temporal must be embedded, or/,
      /^database is missing or not a string$/,
      /^the file has no entry stroes\. Did you mean stores\? Entries there are: stores, database,/,
    ]
    for (const problem of expected)
      expect(
        problems.filter(text => problem.test(text)),
        String(problem),
      ).toHaveLength(1)
    expect(problems).toHaveLength(expected.length)
  })

  it.each([
    ['accounting: { account: {} }', 'accounting has no entry account. Did you mean accounts?'],
    ['accounting: { accounts: { cahs: "1" } }', 'Did you mean cash'],
    ['accounting: { stores: { downtown: { loaction: "x" } } }', 'Did you mean location?'],
    ['accounting: { taxes: { cty: "2" } }', 'Did you mean city?'],
    ['schedules: { nightly: { dedline: "05:00" } }', 'Did you mean deadline?'],
    ['schedules: { nightly: { export: [transaction] } }', 'did you mean transactions?'],
    ['schedules: { nightly: { formats: [cvs] } }', 'did you mean csv?'],
    ['schedules: { nightly: { journal: [qob] } }', 'did you mean qbo?'],
    ['temporal: { adress: "x:1" }', 'temporal must be embedded, or { address'],
    ['temporal: { adress: "x:1" }', 'It has no entry adress. Did you mean address?'],
    [
      'temporal: { address: "x:1", deployment: { name: "a b" } }',
      'must be 1 to 64 letters, digits and _ . + -',
    ],
    ['temporal: embeded', '(did you mean embedded?)'],
    [
      'accounting: { accounts: { cash: { cod: "1", name: "Cash" } } }',
      'It has no entry cod. Did you mean code?',
    ],
    ['retention: { versionDays: 7 }', 'Did you mean versionsDays?'],
    ['reconcile: { currency: CAD }', 'currency is a key of its own, beside stores.'],
    ['currency: dollars', 'currency must be three capital letters, like USD'],
    ['csv: [bom]', 'csv is missing or not a section'],
    [
      'database: postgres://me:sesame@db.example/tillage',
      'database would send the rows to another machine without TLS; add ?sslmode=verify-full',
    ],
    [
      'database: mysql://db.example/tillage',
      'database must be a path, like ./tillage-data/tillage.db, or the address of a PostgreSQL',
    ],
    ['exports: gs://books/tillage', 'exports must be a folder, like ./tillage-data/exports, or a'],
    ['exports: s3:///tillage', 'exports lacks the name of a bucket: s3://BUCKET/PREFIX'],
    ['exports: s3://books/../other', 'exports has a prefix that is no plain name'],
    ['exports: { url: ./out }', 'exports.url must be a bucket, like s3://books/tillage'],
    [
      'exports: { url: s3://books, mode: "0640" }',
      'exports.mode is of files on a disk; who may read objects is said by the policy',
    ],
    [
      'exports: { url: s3://books, endpoint: "http://objects.example" }',
      'exports.endpoint is http:// to another machine, so files could be read on the way',
    ],
    ['exports: { url: s3://books, zone: eu }', 'has no entry zone'],
    ['database: ""', 'database is empty'],
    ['retention: { versionsDays: 0 }', 'retention.versionsDays must be more than 0'],
    ['retention: { versionsDays: 1.5 }', 'retention.versionsDays is missing or not a whole number'],
    ['reconcile: { patienceSeconds: -1 }', 'reconcile.patienceSeconds must be at least 0'],
  ])('say what was probably meant by %s', (text, problem) => {
    expect(problemsOf(`stores:${STORE}\n${text}`).join('\n')).toContain(problem)
  })

  it.each([
    ['an empty file', '', 'stores is missing'],
    ['a text', 'hello', 'is missing or not a'],
    ['a list', '- stores', 'is missing or not a'],
    ['no store', 'stores: []', 'stores needs at least one store'],
    ['stores that are no list', 'stores: { id: a }', 'stores is missing or not a'],
  ])('are told for %s', (_, text, problem) => {
    expect(problemsOf(text).join('\n')).toContain(problem)
  })

  it.each([
    ['Downtown', 'the stores downtown and Downtown differ by the case of their ids alone'],
    ['nul', 'stores[1].id is a name that Windows keeps for a device'],
    ['Com1', 'stores[1].id is a name that Windows keeps for a device'],
    ['harbor.', 'stores[1].id must be letters'],
    ['../harbor', 'stores[1].id must be letters'],
    ['har bor', 'stores[1].id must be letters'],
  ])('are told for a store %j, whose folder of exports not every disk can have', (id, problem) => {
    const other = STORE.replace('downtown', JSON.stringify(id))
    expect(problemsOf(`stores:${STORE}${other}`)[0]).toContain(problem)
    const good = STORE.replace('downtown', 'console')
    expect(load(`stores:${STORE}${good}`).stores).toHaveLength(2)
  })

  it.each(['${}', '${ PARTNER }', '${my-own-key}', '${PARTNER'])(
    'are told for %j in the place of a key, without what stands in it',
    value => {
      const [problem, ...others] = problemsOf(
        `stores:${STORE.replace(/developerKey: .*/, `developerKey: "${value}"`)}`,
      )
      expect(problem).toMatch(/^stores\[0\]\.developerKey does not name an environment variable/)
      expect(problem).not.toContain('my-own')
      expect(others).toEqual([])
    },
  )

  it('are told for two stores with one id', () => {
    expect(problemsOf(`stores:${STORE}${STORE}${STORE}`)).toEqual([
      'two stores have the id downtown',
    ])
  })

  it.each([
    'http://partner.example',
    'http://192.168.1.20:8700/api',
    'http://localhost.partner.example',
    'http://[::2]:8700',
    // Whatever resolves names decides whose machine that is.
    'http://sandbox.localhost',
  ])('are told for %s, which is open to read on the way, unless allowInsecure says so', address => {
    const stores = storeWith(`baseUrl: "${address}"`)
    expect(problemsOf(stores)).toEqual([
      expect.stringMatching(/^stores\[0\]\.baseUrl is http:.*allowInsecure: true/),
    ])
    expect(load(`${stores}\n    allowInsecure: true`, KEYS).stores).toHaveLength(1)
  })

  it.each([
    'http://127.0.0.1:8700',
    'http://localhost:8700',
    'http://[::1]:8700',
    'https://partner.example',
  ])('are not told for %s', address => {
    expect(load(storeWith(`baseUrl: "${address}"`), KEYS).stores).toHaveLength(1)
  })

  it('are told for a key of Temporal that would travel without TLS to another machine', () => {
    const temporal = (address: string, tls: boolean): string =>
      `stores:${STORE}\ntemporal: { address: "${address}", apiKey: k, tls: ${String(tls)} }`
    expect(problemsOf(temporal('temporal.example:7233', false))).toEqual([
      'temporal.tls must not be false where there is an apiKey: it would travel openly to another machine',
    ])
    expect(load(temporal('temporal.example:7233', true), KEYS).temporal).toMatchObject({
      tls: true,
    })
    expect(load(temporal('127.0.0.1:7233', false), KEYS).temporal).toMatchObject({ tls: false })
  })

  it.each([
    'https://user:word@partner.example',
    'https://partner.example?key=1',
    'https://partner.example#x',
    'partner.example',
    '//partner.example',
    '""',
  ])('are told for the address %s', address => {
    expect(problemsOf(storeWith(`baseUrl: ${address}`))).toEqual([
      expect.stringMatching(/^stores\[0\]\.baseUrl must be an address/),
    ])
  })

  it.each(['"2:00"', '"24:00"', '"02:60"', '"02:00:00"', '2'])(
    'are told for the day start %s',
    clock => {
      expect(problemsOf(storeWith(`dayStartsAt: ${clock}`))).toEqual([
        expect.stringMatching(/^stores\[0\]\.dayStartsAt /),
      ])
    },
  )

  it.each(['"Mars/Olympus"', '"+25:00"', '""', '"Pacific Time"'])(
    'are told for the zone %s',
    zone => {
      expect(problemsOf(storeWith(`timeZone: ${zone}`))).toEqual([
        'stores[0].timeZone is not a time zone; write it like America/Los_Angeles',
      ])
    },
  )

  it('say what to do where only the environment is wrong', () => {
    const keyless = storeWith('partnerKey: ${NOT_SET_HERE}')
    expect(failureOf(() => load(keyless))).toMatchObject({
      remedy: expect.stringContaining('export NAME=') as string,
    })
    expect(failureOf(() => load(`${keyless}\nstroes: []`))).toMatchObject({
      remedy: expect.stringContaining('Fix the file') as string,
    })
  })

  it('name the zone that was probably meant', () => {
    expect(problemsOf(storeWith('timeZone: America/Chicgo'))).toEqual([
      'stores[0].timeZone is not a time zone; write it like America/Chicago',
    ])
  })

  it('are told for a file that is missing, a folder, and text that is no YAML', () => {
    expect(failureOf(() => loadConfig(join(folder, 'none.yaml'), {}))).toMatchObject({
      code: 'CONFIG',
      exitStatus: 2,
      message: expect.stringContaining('does not exist') as string,
      remedy: expect.stringContaining('tillage demo') as string,
    })
    expect(failureOf(() => loadConfig(folder, {})).problems).toEqual(['it cannot be read (EISDIR)'])
    expect(problemsOf('stores:\n  - id: "a')[0]).toMatch(
      /^it is not valid YAML: missing char at line 2, column \d+$/,
    )
    expect(problemsOf('stores:\n  - id: *a')).toEqual([
      'it is not valid YAML: a value starts with *, which YAML reads as a reference',
    ])
  })
})

describe('secrets', () => {
  it('are never quoted, whatever is wrong around them', () => {
    const texts = [
      `stores:${STORE}\n    colour: \${PARTNER}`,
      `stores:${STORE.replace('https://partner.example', '${PARTNER}')}`,
      `stores:${STORE.replace('downtown', 'no good ${DOWNTOWN}')}`,
      `stores:${STORE}\n    timeZone: \${PARTNER}\n    dayStartsAt: \${DOWNTOWN}`,
      `stores:${STORE}\n    limits: \${PARTNER}`,
      `stores: \${PARTNER}`,
      `stores:${STORE}\ntemporal: { address: "x", apiKey: ["\${PARTNER}"] }`,
      `stores:${STORE}\ntemporal: \${DOWNTOWN}`,
    ]
    for (const text of texts) {
      const error = failureOf(() => load(text))
      const everything = [error.message, error.stack, error.remedy, JSON.stringify(error)].join(
        '\n',
      )
      for (const secret of Object.values(KEYS)) expect(everything, text).not.toContain(secret)
    }
  })

  it('are never quoted from a file that holds them itself and is no YAML', () => {
    for (const text of [
      'stores:\n  - partnerKey: "literal-secret\n    developerKey: x',
      'partnerKey: literal-secret: x',
      'a: *literal-secret',
      'a: !literal-secret x\nb: [',
      'a: 1\na: literal-secret',
    ]) {
      const error = failureOf(() => load(text))
      expect([error.message, error.stack, String(error.cause)].join('\n'), text).not.toContain(
        'literal-secret',
      )
    }
  })
})
