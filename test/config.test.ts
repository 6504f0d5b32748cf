import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../config.ts'
import type { Config } from '../config.ts'
import { ConfigError } from '../errors.ts'

const folder = mkdtempSync(join(tmpdir(), 'tillage-config-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const KEYS = { PARTNER: 'partner-secret-4711', DOWNTOWN: 'downtown-secret-0815' }
const STORE = `
  - id: downtown
    baseUrl: https://partner.example
    partnerKey: \${PARTNER}
    developerKey: \${DOWNTOWN}`

let files = 0
function fileWith(text: string): string {
  const file = join(folder, `tillage-${++files}.yaml`)
  writeFileSync(file, text)
  return file
}

const load = (text: string, environment: Record<string, string | undefined> = KEYS): Config =>
  loadConfig(fileWith(text), environment)

function failureOf(action: () => unknown): ConfigError {
  try {
    action()
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return error as ConfigError
  }
  throw new Error('was accepted')
}

const problemsOf = (
  text: string,
  environment: Record<string, string | undefined> = KEYS,
): readonly string[] => failureOf(() => load(text, environment)).problems

/** A store with one line changed or added. */
const storeWith = (line: string): string => {
  const name = line.slice(0, line.indexOf(':'))
  return `stores:${STORE.split('\n')
    .filter(other => !other.includes(` ${name}:`))
    .join('\n')}\n    ${line}`.replace(`stores:\n    baseUrl`, 'stores:\n  - baseUrl')
}

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
      'the stores downtown and uptown would share their journal numbers; give each a code of its own: accounting.stores.uptown.code',
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

describe('the environment', () => {
  it('fills in names anywhere in a text, and leaves other dollars alone', () => {
    const config = load(
      'stores:\n  - { id: a, baseUrl: "https://${HOST}.example", partnerKey: "x${PARTNER}y", developerKey: "$PARTNER ${} $${DOWNTOWN}" }',
      { ...KEYS, HOST: 'host' },
    )
    expect(config.stores[0]).toMatchObject({
      baseUrl: 'https://host.example',
      partnerKey: `x${KEYS.PARTNER}y`,
      developerKey: `$PARTNER \${} $${KEYS.DOWNTOWN}`,
    })
  })

  it('is not read again for what it filled in, and cannot add structure', () => {
    const { stores } = load(`stores:${STORE}`, {
      PARTNER: '${DOWNTOWN}',
      DOWNTOWN: 'x\n    timeZone: UTC',
    })
    expect(stores).toMatchObject([
      { partnerKey: '${DOWNTOWN}', developerKey: 'x\n    timeZone: UTC' },
    ])
  })

  it('is named, all of it, where something is missing or empty', () => {
    expect(problemsOf(`stores:${STORE}`, { PARTNER: '' })).toEqual([
      '${PARTNER} is not set in the environment',
      '${DOWNTOWN} is not set in the environment',
    ])
  })
})

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
    ['temporal: embeded', '(did you mean embedded?)'],
    [
      'accounting: { accounts: { cash: { cod: "1", name: "Cash" } } }',
      'It has no entry cod. Did you mean code?',
    ],
    ['retention: { versionDays: 7 }', 'Did you mean versionsDays?'],
    ['csv: [bom]', 'csv is missing or not a section'],
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
      expect(problem).toMatch(/^stores\[0\]\.developerKey has \$\{\.\.\.\} without the name/)
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

describe('references', () => {
  it('inside of what they refer to, and that unfold without end, are explained', () => {
    expect(problemsOf('stores: &a\n  - id: x\n    more: *a')).toEqual([
      'a reference (*) stands inside of what it refers to (&), so it has no end',
    ])
    const bomb = ['a: &a [x,x,x,x,x,x,x,x,x]', ...'bcdefg'].map((name, at, all) =>
      at === 0 ? name : `${name}: &${name} [${`*${all[at - 1]![0]},`.repeat(9)}]`,
    )
    expect(problemsOf(bomb.join('\n'))[0]).toContain('unfold to more than a configuration can hold')
  })

  it('that are honest are taken', () => {
    const { stores } = load(`stores:${STORE}\n    limits: &l { concurrency: 2 }`)
    expect(stores[0]?.limits.concurrency).toBe(2)
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
