import { describe, expect, it } from 'vitest'
import { paperSheets } from '../../audit/paper-sheet.ts'
import { aLine, aSnapshot, VAULT } from './a-snapshot.ts'

const SAFE = { id: 'R2', name: 'Safe', type: '' }
const TAG = '1A4060300000001000000123'
const many = Array.from({ length: 45 }, (_, at) =>
  aLine({ lineId: String(at + 1), batchId: `B${at}`, packageTag: TAG, expected: '777' }),
)
const page = paperSheets(
  aSnapshot({ lines: many, rooms: [VAULT, SAFE], storeLicense: 'C10-0000001-LIC' }),
  ['theft', 'audit'],
)
const sheets = page.split('<section').slice(1)

describe('the sheets to print', () => {
  it('are blind, with store, licence, room, page and signatures on each', () => {
    expect(page).not.toContain('777')
    for (const sheet of sheets)
      for (const text of ['Downtown', 'C10-0000001-LIC', 'Counted by', 'signature', 'theft, audit'])
        expect(sheet).toContain(text)
    expect(
      sheets.map(sheet => /<span>(\w+)<\/span><span>(.*?)<\/span>/.exec(sheet)?.slice(1)),
    ).toEqual([
      ['Vault', 'page 1 of 3'],
      ['Vault', 'page 2 of 3'],
      ['Vault', 'page 3 of 3'],
      ['Safe', 'page 1 of 1'],
    ])
  })

  it('have eight columns, the tag last, every line once, and no id in a room where nothing should be', () => {
    for (const sheet of sheets) expect(sheet.match(/<th>/g)).toHaveLength(8)
    expect(sheets[0]).toMatch(/<th>Package tag<\/th>\s*<\/tr>/)
    expect(page.split(TAG)).toHaveLength(many.length + 1)
    expect(sheets[3]).not.toContain('class="id"')
  })

  it('have the widths of their columns in the stylesheet, which a policy names by its hash', () => {
    const [, style = ''] = /<style>([^]*?)<\/style>/.exec(page) ?? []
    expect(style.match(/col:nth-child\(\d\) \{ width: \d+%; \}/g)).toHaveLength(8)
    expect(page).not.toMatch(/ style=/)
  })

  it('always have room for what is found', () => {
    for (const count of [1, 17, 18, 20, 21]) {
      const all = paperSheets(aSnapshot({ lines: many.slice(0, count) }), ['audit'])
      const last = all.split('<section').at(-1)!
      expect(last.match(/<tr>\s*(<td><\/td>\s*){8}<\/tr>/g)?.length).toBeGreaterThanOrEqual(2)
    }
  })
})
