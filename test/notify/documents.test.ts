import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Config } from '../../config.ts'
import { configSchema } from '../../config/schema.ts'
import { isSecretAt } from '../../config/secrets.ts'
import { ALARM_KIND_NAMES } from '../../standing/alarm-kinds.ts'
import { hashSettings } from '../../standing/settings-hash.ts'

test('each kind that calls has its section, and there is no section of another', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/alarms.md'), 'utf8')
  const sections = [...page.matchAll(/^## (\w+)$/gm)].map(([, name]) => name)
  expect(new Set(sections)).toEqual(new Set<string | undefined>(ALARM_KIND_NAMES))
})

const store = { id: 'a', baseUrl: 'https://x.example', partnerKey: 'k', developerKey: 'd' }
const parse = (notify: object) => configSchema.safeParse({ stores: [store], notify })

test('addresses of channels are secrets: they are in no hash of the settings', () => {
  for (const place of [
    ['notify', 'channels', 0, 'url'],
    ['notify', 'channels', 0, 'smtp'],
    ['notify', 'heartbeat'],
  ])
    expect(isSecretAt(place), place.join('.')).toBe(true)
  expect(isSecretAt(['notify', 'channels', 0, 'id'])).toBe(false)
  const hashOf = (token: string) => {
    const url = `https://hooks.example/${token}`
    return hashSettings(parse({ channels: [{ id: 'ops', url }] }).data as unknown as Config)
  }
  expect(hashOf('one')).toEqual(hashOf('other'))
})

test.each([
  [{ channels: [{ id: 'ops' }] }, 'one of url, smtp and command'],
  [{ channels: [{ id: 'ops', smtp: 'smtps://x' }] }, 'smtp, from and to together'],
  [{ channels: [{ id: 'ops', url: 'http://other.example/x' }] }, 'could be read on the way'],
  [{ channels: [{ id: 'heartbeat', url: 'https://x.example' }] }, 'must not be heartbeat'],
  [{ routes: [{ to: ['ops'] }] }, 'there is no channel ops'],
  [{ heartbeat: 'file:///etc/passwd' }, 'must be an address'],
])('refuses %j, since it %s', (notify, why) => {
  expect(parse(notify).error?.message).toContain(why)
})
