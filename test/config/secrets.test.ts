import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { settingsWithoutKeys } from '../../backup/settings-without-keys.ts'
import { isSecretAt, secretNames } from '../../config/secrets.ts'
import { secret } from '../../secret-setting.ts'
import { withoutSecrets } from '../../secrets.ts'
import { changedSections, hashSettings } from '../../standing/settings-hash.ts'
import { load, makeFolder, STORE } from './loading.ts'

makeFolder()

const TEMPORAL = (apiKey: string): string =>
  `stores:${STORE}\ntemporal: { address: "temporal.example:7233", apiKey: ${apiKey}, tls: true }`

describe('a secret is what the schema of the settings declares as one', () => {
  const schema = z.strictObject({
    key: z.string(),
    list: z.array(z.union([z.literal('none'), z.object({ url: secret(z.url()), to: z.string() })])),
    named: z
      .record(z.string(), z.object({ password: secret(z.string()).default('') }))
      .prefault({}),
    whole: secret(z.object({ inside: z.string() })).optional(),
  })

  it.each([
    [['list', 3, 'url'], true],
    [['named', 'any', 'password'], true],
    [['whole', 'inside'], true],
    [['key'], false],
    [['list', 3, 'to'], false],
    [['named', 'password'], false],
    [['constructor', 'url'], false],
  ] as const)('%j: %s', (path, expected) => {
    expect(isSecretAt(path, schema)).toBe(expected)
  })

  it('and their names are known, for settings that somebody has commented out', () => {
    expect([...secretNames(schema)]).toEqual(['url', 'password', 'whole'])
    expect([...secretNames()]).toEqual([
      'partnerKey',
      'developerKey',
      'apiKey',
      'messageKey',
      'password',
      'url',
      'smtp',
      'heartbeat',
    ])
  })
})

it('every secret setting is cut out of texts once it is read, and no other setting', () => {
  load(TEMPORAL('api-key-of-a-test'), { PARTNER: 'partner-of-a-test', DOWNTOWN: 'store-of-a-test' })
  const text = 'api-key-of-a-test partner-of-a-test store-of-a-test temporal.example:7233'
  expect(withoutSecrets(text)).toBe('*** *** *** temporal.example:7233')
})

it('another key is no other setting, and anything else is', () => {
  const hashes = ['one-key-of-temporal', 'other-key-of-temporal'].map(key =>
    hashSettings(load(TEMPORAL(key))),
  )
  expect(changedSections(hashes[0]!, hashes[1]!)).toEqual([])
  const moved = hashSettings(load(TEMPORAL('one-key-of-temporal').replace('7233', '7234')))
  expect(changedSections(hashes[0]!, moved)).toEqual(['temporal'])
})

it('another bucket is another section exports, and so is another region of the same', () => {
  const into = (exports: string) => hashSettings(load(`${TEMPORAL('key')}\nexports: ${exports}\n`))
  const standing = into('{ url: s3://books/tillage, region: eu-central-1 }')
  expect(Object.keys(standing)).not.toContain('objects')
  expect(
    changedSections(standing, into('{ url: s3://books/tillage/, region: eu-central-1 }')),
  ).toEqual([])
  for (const other of [
    's3://books/tillage',
    '{ url: s3://other, region: eu-central-1 }',
    './folder',
  ])
    expect(changedSections(standing, into(other)), other).toEqual(['exports'])
})

it('settings beside a backup have variables for secrets, and all the rest as it was written', () => {
  const written = `# before June: apiKey: older
stores:
  - { id: downtown, partnerKey: short } # and key: common
  - { id: uptown, partnerKey: "\${OTHER}" }
temporal: { apiKey: another, namespace: key }
`
  expect(settingsWithoutKeys({ text: written, storeFiles: [] }).replaceAll('"', '')).toBe(
    written
      .replace('older', '${TILLAGE_API_KEY}')
      .replace('short', '${TILLAGE_PARTNER_KEY}')
      .replace('another', '${TILLAGE_API_KEY}')
      .replaceAll('"', ''),
  )
})
