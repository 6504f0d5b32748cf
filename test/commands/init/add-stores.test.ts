import { expect, test } from 'vitest'
import { addStores, refuseKnown, usualAnswers } from '../../../commands/init/add-stores.ts'
import { configText, storeEntries } from '../../../commands/init/config.ts'

const of = (store: string) => ({
  url: 'https://partner.example',
  store,
  partnerKeyName: 'TILLAGE_PARTNER_KEY',
  developerKeyName: `TILLAGE_${store.toUpperCase()}_KEY`,
})
const UPTOWN = storeEntries([of('uptown')], new Map())

test('a store is added below the last one, and every other line stays as it was', () => {
  const before = configText([of('downtown'), of('harbor')], new Map())
  const after = addStores(before, UPTOWN)
  const added = after.split('\n').filter(line => !before.split('\n').includes(line))
  expect(added).toEqual(['  - id: uptown', '    developerKey: ${TILLAGE_UPTOWN_KEY}'])
  expect(after.replace(UPTOWN, '')).toBe(before)
  expect(after.indexOf('# limits:')).toBeLessThan(after.indexOf('- id: uptown'))
  expect(after.indexOf('# Another store')).toBeGreaterThan(after.indexOf('- id: uptown'))
})

test.each([
  ['at the margin', 'stores:\n- id: a\n  baseUrl: x # here\ndatabase: d\n', '- id: uptown'],
  ['at the end of the file', 'stores:\n    - id: a\n      baseUrl: x', '    - id: uptown'],
  ['with Windows line ends', 'stores:\r\n  - id: a\r\ndatabase: d\r\n', '\r\n  - id: uptown\r\n'],
  [
    'before a comment of what follows',
    'stores:\n  - id: a\n# files\ndatabase: d\n',
    '- id: uptown',
  ],
])('it stands as the others do, %s', (_where, before, expected) => {
  const after = addStores(before, UPTOWN)
  expect(after).toContain(expected)
  expect(after.length).toBeGreaterThan(before.length)
})

test.each(['stores: [{ id: a }]\n', 'stores: []\n', 'database: d\n'])(
  'what has no lines to add to is left alone, and the entry is shown: %j',
  before => {
    expect(() => addStores(before, UPTOWN)).toThrow(
      expect.objectContaining({ remedy: expect.stringContaining('- id: uptown') as string }),
    )
  },
)

test('address and partner key are those of the first store, and a store is added once', () => {
  const text = configText([of('downtown')], new Map())
  expect(usualAnswers(text)).toEqual({
    url: 'https://partner.example',
    partnerKeyName: 'TILLAGE_PARTNER_KEY',
  })
  expect(() => refuseKnown(text, [of('Downtown')])).toThrow('Downtown is in this file already')
  expect(() => refuseKnown(text, [of('uptown')])).not.toThrow()
})

test('a store of its own file is not added to the file that names it', () => {
  const before = 'stores:\n  - ./stores/*.yaml\n'
  refuseKnown('stores: ./stores/*.yaml', [of('uptown')])
  expect(usualAnswers('stores: ./stores/*.yaml')).toEqual({})
  expect(() => addStores(before, UPTOWN)).toThrow('stand in others (./stores/*.yaml)')
  expect(() => addStores(before, UPTOWN)).toThrow(
    expect.objectContaining({
      remedy: expect.stringContaining('\n- id: uptown\n  baseUrl') as string,
    }) as Error,
  )
})
