import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { shownCommand } from '../../console/actions/form.ts'
import { ACTIONS } from '../../console/actions/index.ts'
import { pageIn, valuesIn } from '../../console/actions/read-form.ts'
import { runProgram } from '../../program.ts'
import { control, CORE } from '../helpers/project.ts'
import { hostileBook } from '../tables/hostile-book.ts'
import { act, ended, NAMES, planLines, planVendors, startActing } from './acting.ts'
import type { Acting } from './acting.ts'
import { csrfOf, statusOf, Visitor } from './console.ts'

const DAY = '2026-03-05'

let scene: Acting
const signIn: Acting['signIn'] = name => scene.signIn(name)
const acts: Acting['acts'] = like => scene.acts(like)
beforeAll(async () => {
  scene = await startActing(CORE)
})
afterAll(() => scene.close())

it('a form names a plan or an audit by its id, and no file of the machine', () => {
  const named = ACTIONS.filter(({ fields }) =>
    fields.some(({ name }) => /^(plan|audit)$/.test(name)),
  )
  expect(named.length).toBeGreaterThan(10)
  for (const action of named)
    for (const file of ['/etc/passwd', 'tillage.yaml', '../keys.env', './AUD-1']) {
      const form = new URLSearchParams({ plan: file, audit: file })
      expect(() => valuesIn(action, { form, stores: [] }), action.name).toThrow('no id')
    }
})

it('a journal is written once, however often its button is clicked, and the log says by whom', async () => {
  const ann = await signIn('Ann')
  const elsewhere = { _from: '//evil.example/' }
  const fields = { store: 'downtown', day: DAY, _action: randomUUID(), ...elsewhere }
  const first = await act(ann, 'write-journal', fields)
  const second = await act(ann, 'write-journal', fields)
  expect(second.headers.get('location')).toBe(first.headers.get('location'))
  const said = await ended(ann, first)
  expect(said).toContain('It is done.')
  expect(said).not.toContain('Back to where it was started')
  expect((await ann.get('/runs')).text).toContain(`journal --store downtown --date ${DAY}`)
  expect((await ann.get(`/books/downtown/${DAY}`)).text).toContain('is booked as')
  const [noted, ...more] = acts('console write-journal')
  expect(more).toEqual([])
  expect(JSON.parse(noted!)).toEqual({
    by: 'Ann',
    address: '127.0.0.1',
    command: `journal --store downtown --date ${DAY}`,
  })
})

it.each(['//evil.example/', '/\\evil.example', '/\t/evil.example', 'https://evil.example', ''])(
  'an address that is no page of ours leads nowhere back: %j',
  elsewhere => {
    expect(pageIn(new URLSearchParams({ _from: elsewhere }))).toBeUndefined()
    const page = '/books?month=2026-03'
    expect(pageIn(new URLSearchParams({ _from: page }))).toBe(page)
  },
)

it('the import of a journal is said of the revision that the page shows, to which it leads back', async () => {
  const ann = await signIn('Ann')
  const page = `/books/downtown/${DAY}`
  const { text } = await ann.get(page)
  expect(text).toContain('name="revision" value="0" readonly')
  expect(text).toContain(`name="_from" value="${page}"`)
  const said = { store: 'downtown', day: DAY, ref: 'QB-812', _from: page }
  expect((await act(ann, 'say-posted', said)).status).toBe(400)
  const other = await ended(ann, await act(ann, 'say-posted', { ...said, revision: '7' }))
  expect(other).toContain('Nothing was done; why, and what to do, stands below.')
  expect(other).toContain('no journal of revision 7')
  const first = await ended(ann, await act(ann, 'say-posted', { ...said, revision: '0' }))
  expect(first).toContain('--revision 0')
  expect(first).toContain(`<a href="${page}">Back to where it was started`)
  expect((await ann.get(page)).text).toContain('QB-812')
})

it('an address for events is made, changed once however often it is asked for, and closed', async () => {
  const olga = await signIn('Olga')
  const store = { store: 'downtown' }
  const secrets = () =>
    scene.project.query("SELECT secret FROM hook_addresses WHERE store_id = 'downtown'")
  const forms = async () =>
    (await olga.get('/connections?store=downtown')).text.match(/\/do\/(rotate|remove)-webhooks/g)
  expect(await forms()).toBeNull()
  expect(await ended(olga, await act(olga, 'apply-webhooks', store))).toContain('It is done')
  expect(await forms()).toHaveLength(2)
  const first = secrets()
  const twice = { ...store, _action: randomUUID() }
  expect(await ended(olga, await act(olga, 'rotate-webhooks', twice))).toContain('It is done')
  const second = secrets()
  expect(second).not.toEqual(first)
  await ended(olga, await act(olga, 'rotate-webhooks', twice))
  expect(secrets()).toEqual(second)
  expect(acts('console rotate-webhooks')).toHaveLength(1)
  expect(await ended(olga, await act(olga, 'remove-webhooks', store))).toContain('It is done')
  expect(secrets()).toEqual([])
  expect((await act(await signIn('Ann'), 'remove-webhooks', store)).status).toBe(403)
})

it('whoever chose a wrong file chooses another, and types nothing again', async () => {
  const olga = await signIn('Olga')
  const wrong = await planLines(olga, 'no identity,', ',no name')
  expect(wrong).not.toContain('It is done')
  expect(wrong).toContain('action="/do/plan-catalog"')
  expect(wrong).toMatch(/<option value="vendors" selected>/)
  expect(wrong).toMatch(/<option value="downtown" selected>/)
  expect(await planLines(olga, NAMES, 'V-RIGHT,Right Vendor')).not.toContain(
    'action="/do/plan-catalog"',
  )
})

describe('nothing is done, and nothing is noted', () => {
  const journal = { store: 'downtown', day: '2026-03-06' }

  it.each([
    ['without the token of the session', 'Ann', { ...journal, _csrf: 'made up' }, 403],
    ['by who lacks the role', 'Vic', journal, 403],
    ['by who has another role', 'Olga', journal, 403],
    ['without a number of its own', 'Ann', { ...journal, _action: '1' }, 400],
    ['with a value that looks like an option', 'Ann', { ...journal, store: '--config=/x' }, 400],
    ['with a second line in a value', 'Ann', { ...journal, store: 'a\nb' }, 400],
    ['of a day that is in no calendar', 'Ann', { ...journal, day: '2026-99-99' }, 400],
  ] as const)('%s', async (_why, name, fields, status) => {
    const before = acts('console %').length
    const answer = await act(await signIn(name), 'write-journal', fields)
    expect(answer.status, answer.text).toBe(status)
    expect(acts('console %')).toHaveLength(before)
  })

  it('by who has not signed in', async () => {
    const answer = await new Visitor(scene.served.url).post('/do/write-journal', journal)
    expect(answer.headers.get('location')).toBe('/sign-in')
  })

  it('from a page of somebody else, or with the token of another session', async () => {
    const [ann, other] = [await signIn('Ann'), await scene.signInAnew('Ann')]
    const token = csrfOf(await other.get('/runs'))
    expect((await act(ann, 'write-journal', { ...journal, _csrf: token })).status).toBe(403)
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    const fields = { _csrf: csrfOf(await ann.get('/runs')), _action: randomUUID(), ...journal }
    expect((await ann.post('/do/write-journal', fields, foreign)).status).toBe(403)
  })

  it('where there is no such action', async () => {
    expect((await act(await signIn('Ann'), 'drop-tables', {})).status).toBe(404)
  })
})

it('a range that ends before it begins is refused in the words of the form', async () => {
  const days = { store: 'downtown', from: '2026-03-06', to: '2026-03-03' }
  const { status, text } = await act(await signIn('Ann'), 'write-journals', days)
  expect([status, text]).toEqual([400, expect.stringContaining('To, 2026-03-03, is before From')])
})

it('a store is one of the settings, and is chosen', async () => {
  const ada = await signIn('Ada')
  const { text } = await ada.get('/compliance')
  expect(text).toMatch(/<select name="store">\s*<option value="downtown"/)
  expect((await act(ada, 'begin-audit', { store: 'elsewhere' })).status).toBe(400)
  expect((await act(ada, 'begin-audit', { store: '' })).status).toBe(400)
})

it('the files of an audit lead to whoever may see them, and the others read who may', async () => {
  expect((await scene.project.run('audit', 'snapshot', '--store', 'downtown')).status).toBe(0)
  const [ada, vic] = [await signIn('Ada'), await signIn('Vic')]
  const [audit] = /AUD-[\w-]+/.exec((await ada.get('/compliance')).text)!
  const filesOf = async (visitor: Visitor): Promise<string[]> =>
    [...(await visitor.get(`/audits/${audit}`)).text.matchAll(/href="(\/audits\/[^"]+)"/g)].map(
      ([, path]) => path!,
    )
  const [hers, his] = [await filesOf(ada), await filesOf(vic)]
  expect(hers.length).toBeGreaterThan(his.length)
  for (const [visitor, files] of [
    [ada, hers],
    [vic, his],
  ] as const)
    for (const path of files) expect((await visitor.get(path)).status, path).toBe(200)
  const { text } = await vic.get(`/audits/${audit}`)
  expect(text).toContain('(needs the role compliance or admin)')
  expect((await ada.get(`/audits/${audit}`)).text).not.toContain('(needs the role')
})

it('an audit that nobody counts is given up with a reason, which its page and the list tell', async () => {
  const { stdout } = await scene.project.run('audit', 'snapshot', '--store', 'downtown', '--json')
  const { audit } = JSON.parse(stdout) as { audit: string }
  const ada = await signIn('Ada')
  const page = `/audits/${audit}`
  expect((await ada.get(page)).text).toContain('action="/do/discard-audit"')
  const word = { audit, reason: 'nobody came' }
  expect(await ended(ada, await act(ada, 'discard-audit', word))).toContain('It is done')
  const { text } = await ada.get(page)
  expect(text).toContain('it is discarded.')
  expect(text).toMatch(/Ada discarded it at [\d: -]+Z: nobody came/)
  expect(text).not.toMatch(/\/do\/(discard-audit|report-counts|plan-reported)"/)
  expect(await scene.project.run('audit', 'list')).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(
      new RegExp(`${audit} +downtown +discarded [^]*${audit}: Ada discarded it at`),
    ),
  })
  const found = await scene.project.run('find', audit)
  expect(found.stdout).toContain('tillage audit list --store downtown')
})

it('a workbook that is small packed and huge unpacked is refused, and the console goes on', async () => {
  const olga = await signIn('Olga')
  const bomb = new Uint8Array(hostileBook({ extra: Buffer.alloc(100 * 1024 * 1024) }))
  expect(bomb.length).toBeLessThan(1024 * 1024)
  const text = await planVendors(olga, new File([bomb], '../../bomb.xlsx'))
  expect(text).toContain('bomb.xlsx')
  expect(text).toContain('Nothing was done')
  expect(text).not.toMatch(/tillage-upload|PL-\d/)
})

let ada: Visitor | undefined
it.each([
  '/books/downtown/2026-03-05/files/..%2f..%2ftillage.yaml',
  '/books/downtown/..%2f..%2f/files/tillage.yaml',
  '/books/..%2fdowntown/2026-03-05',
  '/audits/AUD-1/files/../../../tillage.yaml',
  '/audits/..%2f..%2f/files/snapshot.json',
  '/audits/AUD-%00/files/snapshot.json',
  '/coverage/downtown/transactions/2026-03-05%0d%0aset-cookie:x',
  '/plans/..%2fplan',
  '/runs/%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  '/problems/__proto__',
  '/problems/constructor',
  '/assets/..%2fserver.ts',
  '//evil.example/',
  '/%',
])('a path that leads elsewhere leads nowhere: %s', async path => {
  ada ??= await signIn('Ada')
  const status = await statusOf(ada, path)
  expect([400, 404]).toContain(status)
})

describe('records that no table took', () => {
  const change = (op: string, change: object): Promise<unknown> =>
    control(scene.sandbox, 'POST', 'records', {
      store: 'downtown',
      stream: 'vendors',
      op,
      ...change,
    })
  const LIST = { store: 'downtown', stream: 'vendors' }

  it('are loaded again one by one or a list at a time, and given up with a reason and a name', async () => {
    for (const id of ['bad-1', 'bad-2'])
      await change('insert', { record: { id, name: 'Odd Farms', credits: 'a lot' } })
    expect((await scene.project.run('sync', 'vendors', '--store', 'downtown')).status).toBe(3)
    const olga = await signIn('Olga')
    const problem = async (): Promise<string> =>
      (await olga.get('/problems/dead_letter')).text.replaceAll(/\s+/g, ' ')
    expect(await problem()).toContain('2 cases, 2 of them open')
    expect(await problem()).toContain('dead-letters replay --store downtown --stream vendors<')
    const again = await ended(olga, await act(olga, 'replay-letters', LIST))
    // A command that is refused says so on its page.
    expect(again).toMatch(/something needs somebody|It failed/)
    expect(again).toMatch(/downtown +vendors +0 +2/)
    expect(await problem()).toContain('2 cases, 2 of them open')

    const one = { ...LIST, key: 'bad-1', reason: 'no vendor' }
    expect((await act(olga, 'discard-letter', { ...one, reason: '' })).status).toBe(400)
    await ended(olga, await act(olga, 'discard-letter', one))
    // One is left: a form for a list would say the same as its own.
    expect(await problem()).toContain('1 case, 1 of them open')
    expect(await problem()).not.toContain('/do/replay-letters')
    expect(
      scene.project.query('SELECT record_key, discarded_by, discard_reason FROM discarded_letters'),
    ).toEqual([['bad-1', 'Olga', 'no vendor']])
  })

  it('are for operators alone', async () => {
    const vic = await signIn('Vic')
    expect((await act(vic, 'replay-letters', LIST)).status).toBe(403)
    expect((await vic.get('/problems/dead_letter')).text).toContain('needs the role operator')
  })
})

it('every action is a command that the program has, with its options', async () => {
  for (const action of ACTIONS) {
    let said = ''
    const write = (text: unknown): boolean => ((said += String(text)), true)
    const args = shownCommand(action, { day: DAY, month: '2026-03' }, 'Ann').split(' ')
    const streams = { stdout: { write }, stderr: { write } }
    const { signal } = new AbortController()
    await runProgram({ args: [...args, '--config', '/nowhere/tillage.yaml'], streams, signal })
    expect(said, args.join(' ')).not.toMatch(/unknown (option|command)|too many arguments|missing/)
  }
})
