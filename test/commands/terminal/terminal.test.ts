import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { createTerminal } from '../../../commands/terminal/create-terminal.ts'
import { countOf } from '../../../commands/terminal/number.ts'
import { formatTable } from '../../../commands/terminal/table.ts'
import { wrapMessage } from '../../../commands/terminal/wrap.ts'

const word = fc.stringMatching(/^[a-z]{1,24}$/)
const cell = fc.oneof(
  fc.integer({ min: 0, max: 10_000_000 }),
  fc.array(word, { maxLength: 12 }).map(words => words.join(' ')),
)

describe('a table', () => {
  test('never exceeds the terminal, as long as its columns can be as narrow as a word', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(cell, cell, cell, cell, word), { minLength: 1, maxLength: 8 }),
        rows => {
          const text = formatTable(['store', 'many', 'unit', 'other', 'why'], rows, { width: 80 })
          for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
        },
      ),
      { numRuns: 60 },
    )
  })

  test('keeps every word of a reason, below its row, and breaks none', () => {
    const why = 'total_above_rows: the API says that there are more rows than anybody can read'
    const rows = [
      ['downtown', '2026-10-22', '2026-10-26', 'unproven', 206, '2026-11-22 05:21', why],
      ['downtown', '2026-10-27', '2026-10-31', 'proven', 190, '2026-11-22 05:21', ''],
    ]
    const head = ['store', 'first day', 'last day', 'status', 'rows', 'read at (UTC)', 'why']
    expect(formatTable(head, rows, { width: 80 }).split('\n')).toEqual([
      '  store     first day   last day    status    rows  read at (UTC)',
      '  downtown  2026-10-22  2026-10-26  unproven   206  2026-11-22 05:21',
      '    total_above_rows: the API says that there are more rows than anybody can',
      '    read',
      '  downtown  2026-10-27  2026-10-31  proven     190  2026-11-22 05:21',
    ])
    expect(formatTable(head, rows, { width: 200 }).split('\n')).toHaveLength(3)
  })

  test('begins a line below its row for each of several texts, and breaks no command', () => {
    const one = `PL-20261122-98b70288 has waited for an approval for an hour now:`
    const command = 'tillage push show PL-20261122-98b70288'
    const attention = ['batches: 2 windows not proven', `${one} ${command}`]
    const rows = [['downtown', 335, '2026-11-09 to 2026-11-19', attention]]
    const head = ['store', 'rows', 'transactions proven', 'needs attention']
    expect(formatTable(head, rows, { width: 80, below: 'needs attention' }).split('\n')).toEqual([
      '  store     rows  transactions proven',
      '  downtown   335  2026-11-09 to 2026-11-19',
      '    batches: 2 windows not proven',
      `    ${one}`,
      `      ${command}`,
    ])
  })

  test('keeps a short reason beside its row where leaving out a minor column is enough', () => {
    const head = ['store', 'first day', 'last day', 'status', 'rows', 'read at (UTC)', 'evidence']
    const why = 'one pass, total and seams'
    const rows = [['downtown', '2026-10-22', '2026-10-26', 'proven', 206, '2026-11-22 05:21', why]]
    const layout = { width: 80, minor: ['read at (UTC)'] }
    expect(formatTable(head, rows, layout).split('\n')).toEqual([
      '  store     first day   last day    status  rows  evidence',
      '  downtown  2026-10-22  2026-10-26  proven   206  one pass, total and seams',
    ])
    expect(formatTable(head, rows, { ...layout, width: 120 })).toContain('2026-11-22 05:21')
  })

  test('never cuts or breaks a path, which is there to be copied', () => {
    const folder = '/mnt/a drive of the accountants/exports with a name as long as people give them'
    const path = `${folder}/downtown/2026-11-10/transactions_downtown_2026-11-10_r0.parquet`
    const below = formatTable(['store', 'file'], [['downtown', path]], { width: 80, below: 'file' })
    expect(below.split('\n')).toEqual(['  store', '  downtown', `    ${path}`])
    const bare = path.replaceAll(' ', '_')
    expect(formatTable(['store', 'report'], [['downtown', bare]], { width: 80 })).toContain(bare)
    const long = 'x'.repeat(120)
    expect(formatTable(['store', 'name'], [['downtown', long]], { width: 80 })).toContain('\u2026')
  })

  test('breaks texts between words where that makes them fit, and cuts no name', () => {
    const head = ['stream', 'holds', 'is read']
    const rows = [
      ['consumer_order_quantities', 'quantities that online orders hold', 'when it is named'],
    ]
    expect(formatTable(head, rows, { width: 72 }).split('\n')).toEqual([
      '  stream                     holds                      is read',
      '  consumer_order_quantities  quantities that online     when it is named',
      '                             orders hold',
    ])
  })

  test('leaves minor columns out first, then cuts the widest text with an ellipsis', () => {
    const rows = [['a'.repeat(30), 12_345, 'b'.repeat(60), 'c'.repeat(20)]]
    const head = ['name', 'rows', 'text', 'least']
    expect(formatTable(head, rows, { width: 80, minor: ['least'] }).split('\n')).toEqual([
      `  ${'name'.padEnd(30)}    rows  text`,
      `  ${'a'.repeat(30)}  12,345  ${'b'.repeat(37)}\u2026`,
    ])
    expect(formatTable(head, rows, { width: 200 })).toContain('c'.repeat(20))
  })
})

test('what acts on a terminal or cannot be seen is shown as JSON writes it, and everything else as it is', () => {
  const shown = (text: string, json = false): string => {
    let said = ''
    const stream = { write: (part: string | Uint8Array) => ((said += String(part)), true) }
    createTerminal(json, { stdout: stream, stderr: stream }).print(text)
    return said
  }
  expect(shown('a\u001b[31m\u009b2J\u0085\u202e\u2066\u061cb')).toBe(
    'a\\u001b[31m\\u009b2J\\u0085\\u202e\\u2066\\u061cb\n',
  )
  expect(shown('V1\u200b \u200d\u2060\ufeff\u00ad\u2028\u{e0041}')).toBe(
    'V1\\u200b \\u200d\\u2060\\ufeff\\u00ad\\u2028\\udb40\\udc41\n',
  )
  expect(shown('V1\u034f\u115f\u3164\uffa0\ufe0f\u{e0100}\u180b\u17b4\u{1d173}')).toBe(
    'V1\\u034f\\u115f\\u3164\\uffa0\\ufe0f\\udb40\\udd00\\u180b\\u17b4\\ud834\\udd73\n',
  )
  const document = JSON.stringify({ id: 'V1\u200b\u{e0041}\u001b\u202e' })
  expect(JSON.parse(shown(document, true))).toEqual(JSON.parse(document))
  expect(shown('Crème brûlée №5 😀 日本語\ttab')).toBe('Crème brûlée №5 😀 日本語\ttab\n')
})

test('amounts and numbers stand to the right, and a column with anything else to the left', () => {
  const head = ['figure', 'amount', 'rows', 'note']
  const rows = [
    ['net_sales', '26,470.84', 1200, '5'],
    ['rounding', '-0.05', 3, 'none'],
    ['tips', '', '', ''],
  ]
  expect(formatTable(head, rows, { width: 80 }).split('\n')).toEqual([
    '  figure        amount   rows  note',
    '  net_sales  26,470.84  1,200  5',
    '  rounding       -0.05      3  none',
    '  tips',
  ])
})

test('a text of somebody else is one line of a table, and cannot look like several', () => {
  const table = formatTable(['room', 'lines'], [['Vault\n  Safe\t99', 5]])
  expect(table.split('\n')).toEqual([
    '  room                       lines',
    '  Vault\\u000a  Safe\\u000999      5',
  ])
  expect(formatTable(['changed'], [[['name', 'price\n']]]).split('\n')).toEqual([
    '  changed',
    '  name',
    '  price\\u000a',
  ])
})

/** What a terminal of 80 columns is sent. */
function onTerminal(say: (terminal: ReturnType<typeof createTerminal>) => void): string {
  let said = ''
  const stream = {
    isTTY: true,
    columns: 80,
    write: (part: string | Uint8Array) => ((said += String(part)), true),
  }
  say(createTerminal(false, { stdout: stream, stderr: stream }))
  return said
}

describe('at 80 columns', () => {
  const WAITING =
    'downtown: waiting for the API since 10:42Z (connection refused), trying again in 16 s'

  test('progress that is too long takes a second line, and the next one takes both away', () => {
    const said = onTerminal(terminal => {
      terminal.progress(WAITING)
      terminal.progress('asking')
    })
    expect(said).toBe(
      [
        'downtown: waiting for the API since 10:42Z (connection refused), trying again',
        'in 16 s\r\u001b[2K\u001b[1A\u001b[2Kasking',
      ].join('\n'),
    )
  })

  test('progress of which nothing new is heard is said again every ten seconds, until it is over', () => {
    vi.useFakeTimers()
    const said: string[] = []
    const stream = { write: (part: string | Uint8Array) => said.push(String(part)) > 0 }
    const terminal = createTerminal(true, { stdout: stream, stderr: stream })
    for (let halfSecond = 0; halfSecond <= 40; halfSecond++) {
      terminal.progress('downtown: reading the catalog')
      vi.advanceTimersByTime(halfSecond < 40 ? 500 : 0)
    }
    terminal.end()
    vi.advanceTimersByTime(20_000)
    vi.useRealTimers()
    expect(said).toEqual([
      'downtown: reading the catalog\n',
      'downtown: reading the catalog (for 10 s)\n',
      'downtown: reading the catalog (for 20 s)\n',
    ])
  })

  test('a message breaks between words, and a command in it stays whole on a line of its own', () => {
    const said = onTerminal(terminal =>
      terminal.log(
        `phoenix: 21 days proven, first 2026-11-01, and none of them booked: tillage journal --store phoenix --date 2026-11-01`,
      ),
    )
    expect(said).toBe(
      [
        'phoenix: 21 days proven, first 2026-11-01, and none of them booked:',
        '  tillage journal --store phoenix --date 2026-11-01\n',
      ].join('\n'),
    )
  })

  test('no word of a message is lost, broken or moved', () => {
    const text = fc.array(fc.oneof(word, fc.constant('tillage')), { minLength: 1, maxLength: 40 })
    fc.assert(
      fc.property(text, words => {
        const lines = wrapMessage(words.join(' '), 40, 'tillage').split('\n')
        expect(lines.join(' ').split(/ +/)).toEqual(words)
      }),
    )
  })
})

test('a count goes with its noun', () => {
  expect([0, 1, 1_234].map(count => countOf(count, 'day'))).toEqual([
    '0 days',
    '1 day',
    '1,234 days',
  ])
  expect([1, 2].map(count => countOf(count, 'entry', 'entries'))).toEqual(['1 entry', '2 entries'])
})
