import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { settingsWithoutKeys } from '../../backup/settings-without-keys.ts'
import { loadConfig } from '../../config.ts'
import type { Config } from '../../config.ts'
import { hashSettings } from '../../standing/settings-hash.ts'
import { failureOf, KEYS, makeFolder } from './loading.ts'

const root = makeFolder()
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(root, 'settings-'))
})

const write = (name: string, text: string): void => {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  writeFileSync(join(folder, name), text)
}
const storeOf = (id: string, more = ''): string =>
  `id: ${id}\nbaseUrl: https://partner.example\npartnerKey: \${PARTNER}\ndeveloperKey: \${DOWNTOWN}\n${more}`
const load = (text: string, environment: Record<string, string> = KEYS): Config => {
  write('tillage.yaml', text)
  return loadConfig(join(folder, 'tillage.yaml'), environment)
}
const idsOf = (text: string): string[] => load(text).stores.map(({ id }) => id)
const problemsOf = (text: string): readonly string[] => failureOf(() => load(text)).problems

describe('stores in files of their own', () => {
  it('are those that the pattern finds, by the names of the files, with variables filled in', () => {
    write('stores/b.yaml', storeOf('downtown'))
    write('stores/a.yaml', storeOf('uptown', 'timeZone: America/Denver\n'))
    write('stores/notes.txt', 'no store')
    write('stores/.hidden.yaml', storeOf('hidden'))
    write('stores/folder.yaml/inner.yaml', storeOf('inner'))
    const { stores } = load('stores: ./stores/*.yaml')
    expect(stores).toMatchObject([
      { id: 'uptown', partnerKey: KEYS.PARTNER, timeZone: 'America/Denver' },
      { id: 'downtown', developerKey: KEYS.DOWNTOWN },
    ])
  })

  it('may be lists, links, and stand beside stores of tillage.yaml, each read once', () => {
    write(
      'west/all.yaml',
      `- ${storeOf('north').replaceAll('\n', '\n  ')}\n- ${storeOf('south').replaceAll('\n', '\n  ')}`,
    )
    write('data/east.yaml', storeOf('east'))
    symlinkSync('../data/east.yaml', join(folder, 'west/east.yaml'))
    const inline = storeOf('here').replaceAll('\n', '\n    ')
    expect(idsOf(`stores:\n  - ${inline}\n  - ./west/*.yaml\n  - west/all.yaml`)).toEqual([
      'here',
      'north',
      'south',
      'east',
    ])
  })

  it('are found by a pattern with a variable in it', () => {
    write('shops/a.yaml', storeOf('uptown'))
    const { stores } = load('stores: ${WHERE}/*.yaml', { ...KEYS, WHERE: 'shops' })
    expect(stores).toHaveLength(1)
  })

  it('are judged by the file that they stand in', () => {
    write('stores/a.yaml', storeOf('uptown', 'timezone: UTC\n'))
    write('stores/b.yaml', storeOf('downtown').replace('${PARTNER}', '""'))
    write(
      'stores/c.yaml',
      `- ${storeOf('c', 'limits: { concurrency: 0 }').replaceAll('\n', '\n  ')}`,
    )
    write('stores/d.yaml', storeOf('d').replace('${PARTNER}', '${partner key}'))
    expect(problemsOf('stores: [./stores/*.yaml]')).toEqual([
      expect.stringMatching(/^stores\/d\.yaml: partnerKey does not name an environment variable/),
      expect.stringMatching(/^stores\/a\.yaml has no entry timezone\. .*timeZone/),
      'stores/b.yaml: partnerKey is empty',
      'stores/c.yaml: [0].limits.concurrency must be more than 0',
    ])
  })

  it('are refused where two have one id, with the files', () => {
    write('stores/a.yaml', storeOf('uptown'))
    write('stores/b.yaml', storeOf('uptown'))
    expect(problemsOf('stores: stores/*.yaml')).toEqual([
      'two stores have the id uptown (stores/a.yaml, stores/b.yaml)',
    ])
  })

  it('are looked for in vain aloud', () => {
    const [problem] = problemsOf('stores: ./shops/*.yaml')
    expect(problem).toContain(`there is no file ./shops/*.yaml (looked in ${folder})`)
    expect(problemsOf('stores: ${PARTNER}')).toEqual([
      expect.stringContaining('there is no file ${PARTNER} (looked in'),
    ])
  })

  it('must be stores', () => {
    write('stores/a.yaml', '')
    write('stores/b.yaml', '[]')
    write('stores/c.yaml', `stores:\n  - ${storeOf('c').replaceAll('\n', '\n    ')}`)
    expect(problemsOf('stores: ./stores/*.yaml')).toEqual([
      'stores/a.yaml has no store: write one store into it, or a list of stores',
      'stores/b.yaml has no store: write one store into it, or a list of stores',
      'stores/c.yaml begins with stores: leave that out, and write the store itself',
    ])
  })

  it('must be YAML, and what is not is named without being quoted', () => {
    write('stores/a.yaml', 'id: [partner-secret')
    const { message } = failureOf(() => load('stores: ./stores/*.yaml'))
    expect(message).toContain('stores/a.yaml has a problem:\n  - it is not valid YAML')
    expect(message).not.toContain('partner-secret')
  })

  it('count for the hash of the settings, and where they stand does not', () => {
    write('stores/a.yaml', storeOf('uptown'))
    const before = hashSettings(load('stores: ./stores/*.yaml'))
    expect(hashSettings(load('stores: [stores/a.yaml]'))).toEqual(before)
    write('stores/a.yaml', storeOf('uptown', 'timeZone: UTC'))
    const after = hashSettings(load('stores: ./stores/*.yaml'))
    expect(after['stores']).not.toBe(before['stores'])
  })

  it('stand in the settings beside a backup, without keys, in the place of their files', () => {
    write('stores/a.yaml', `# The first.\n${storeOf('uptown').replace('${PARTNER}', 'a-key')}`)
    write('stores/b.yaml', `- ${storeOf('downtown').replaceAll('\n', '\n  ')}`)
    const { written } = load('stores: ./stores/*.yaml # all\ncurrency: CAD')
    const kept = settingsWithoutKeys(written)
    expect(kept).not.toContain('a-key')
    expect(kept).toContain('  # stores/a.yaml\n  - # The first.\n    id: uptown\n')
    expect(kept).toContain('# stores/b.yaml\n')
    expect(load(kept, { ...KEYS, TILLAGE_PARTNER_KEY: 'a-key' })).toMatchObject({
      currency: 'CAD',
      stores: [{ id: 'uptown', partnerKey: 'a-key' }, { id: 'downtown' }],
    })
  })
})

describe('the files that a program follows', () => {
  it('are those that are there now, by what tillage.yaml says now', () => {
    write('stores/a.yaml', storeOf('uptown'))
    const { filesNow } = load('stores: ./stores/*.yaml').written
    const names = (): string[] => filesNow().map(path => path.slice(folder.length + 1))
    expect(names()).toEqual(['tillage.yaml', 'stores/a.yaml'])
    write('stores/b.yaml', 'not: [yet')
    expect(names()).toEqual(['tillage.yaml', 'stores/a.yaml', 'stores/b.yaml'])
    write('tillage.yaml', 'stores: [')
    expect(names()).toHaveLength(3)
    write('tillage.yaml', 'stores: ./stores/b.yaml')
    expect(names()).toEqual(['tillage.yaml', 'stores/b.yaml'])
    rmSync(join(folder, 'tillage.yaml'))
    mkdirSync(join(folder, 'tillage.yaml'))
    expect(names()).toEqual(['tillage.yaml', 'stores/b.yaml'])
  })
})
