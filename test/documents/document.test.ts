import { describe, expect, it } from 'vitest'
import { heading, needs, section, writeDocument } from '../../documents/document.ts'
import { html } from '../../documents/html.ts'
import { facts, table } from '../../documents/table.ts'

const HOSTILE = '</style><script>alert("1")</script>\n"; } body { display: none'
const head = { title: 'Inventory audit', number: HOSTILE, of: [HOSTILE] }

describe('a page', () => {
  it('holds texts of others as texts, in elements, attributes and the margins of sheets', () => {
    const page = writeDocument(head, [
      heading(head),
      table([{ name: HOSTILE }], [{ cells: [HOSTILE] }]),
    ])
    expect(page).not.toContain('<script')
    expect(page.match(/<\/style>/g)).toHaveLength(1)
    expect(page).not.toContain('"; }')
    // What this folder made is not escaped a second time.
    expect(html`<b>${html`<i>${'a & b'}</i>`}</b>`.markup).toBe('<b><i>a &amp; b</i></b>')
  })

  it('never breaks a package tag over two lines, as it does other ids', () => {
    const columns = [
      { name: 'Lot', kind: 'id' },
      { name: 'Package tag', kind: 'id tag' },
    ] as const
    const page = writeDocument(head, [table(columns, [{ cells: ['lot', 'tag'] }])])
    expect(page).toMatch(/<td [^>]*class="id">lot/)
    expect(page).toMatch(/<td [^>]*class="id tag">tag/)
    expect(page).toContain('td.tag { white-space: nowrap; }')
  })

  it('prints nothing that is empty: no column, no fact, no section', () => {
    const columns = [{ name: 'Product' }, { name: 'Note' }]
    const markup = table(columns, [{ cells: ['Gummies', ''] }, { cells: ['Oil', ''] }]).markup
    expect(markup).toContain('Product')
    expect(markup).not.toContain('Note')
    expect(table(columns, [{ cells: ['Gummies', 'torn'] }]).markup).toContain('Note')
    expect(section('Lots', table(columns, [])).markup).toBe('')
    expect(facts([['Licence', '']]).markup).toBe('')
    expect(needs([]).markup).toBe('')
  })
})
