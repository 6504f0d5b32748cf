import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serveConsole } from '../../commands/console/serve-console.ts'
import type { ServedConsole } from '../../commands/console/serve-console.ts'
import { loadConfig } from '../../config.ts'
import { shownCommand } from '../../console/actions/form.ts'
import { ACTIONS } from '../../console/actions/index.ts'
import { pageIn } from '../../console/actions/read-form.ts'
import { hashPassword } from '../../console/password-hash.ts'
import { runProgram } from '../../program.ts'
import type { Sandbox } from '../../sandbox/server.ts'
import { ANY_PORT } from '../helpers/any-port.ts'
import { PROGRAM } from '../helpers/program.ts'
import { CORE, control, startProject, storesOf, waitFor } from '../helpers/project.ts'
import type { Project } from '../helpers/project.ts'
import { hostileBook } from '../tables/hostile-book.ts'
import { csrfOf, statusOf, Visitor } from './console.ts'
import type { Answer } from './console.ts'

const PASSWORD = 'four short plain words'
const DAY = '2026-03-05'

let project: Project
let close: () => Promise<void>
let served: ServedConsole
let sandbox: Sandbox

beforeAll(async () => {
  const scene = await startProject({ seed: 5 })
  ;({ project, close, sandbox } = scene)
  const password = await hashPassword(PASSWORD)
  const users = [
    { name: 'Ann', role: 'accountant', password },
    { name: 'Olga', role: 'operator', password },
    { name: 'Oleg', role: 'operator', password },
    { name: 'Vic', role: 'viewer', password },
    { name: 'Ada', role: 'admin', password },
  ]
  project.configure(storesOf(scene.sandbox), {
    console: { ...ANY_PORT, users },
    webhooks: { ...ANY_PORT, publicUrl: 'http://127.0.0.1:8750' },
  })
  const range = ['--from', '2026-03-03', '--to', '2026-03-08']
  expect((await project.run('sync', ...CORE, ...range)).status).toBe(0)
  served = await serveConsole(loadConfig(join(project.folder, 'tillage.yaml')), {
    program: PROGRAM,
    worker: () => ({ isUp: true, stranded: [] }),
  })
})

afterAll(async () => {
  await served.close()
  await close()
})

async function signIn(name: string): Promise<Visitor> {
  const visitor = new Visitor(served.url)
  await visitor.post('/sign-in', { name, password: PASSWORD })
  return visitor
}

/** As the page has it: its token, and a number of its own. */
async function act(visitor: Visitor, name: string, fields: object): Promise<Answer> {
  const token = csrfOf(await visitor.get('/runs'))
  return visitor.post(`/do/${name}`, { _csrf: token, _action: randomUUID(), ...fields })
}

async function ended(visitor: Visitor, answer: Answer): Promise<string> {
  expect(answer.status, answer.text).toBe(303)
  const path = answer.headers.get('location')!
  let text = ''
  await waitFor(async () => {
    text = (await visitor.get(path)).text
    return !text.includes('It is under way')
  }, 'the command to end')
  return text
}

const NAMES = 'external_id,name'

/** A plan of vendors, made on the page; what its command has said. */
async function planVendors(visitor: Visitor, ...lines: string[]): Promise<string> {
  const form = new FormData()
  form.set('_csrf', csrfOf(await visitor.get('/plans')))
  form.set('_action', randomUUID())
  form.set('catalog', 'vendors')
  form.set('store', 'downtown')
  form.set('file', new File([lines.join('\n')], 'vendors.csv'))
  return ended(visitor, await visitor.postForm('/do/plan-catalog', form))
}
/** Where its files are, so that none is meant that a row names. */
const PLAN = /push\/(PL-\d{8}-[0-9a-f]{8})/

/** The details of what the audit log has under such names. */
const acts = (like: string): string[] =>
  project
    .query(`SELECT detail FROM audit_log WHERE act LIKE '${like}' ORDER BY seq`)
    .map(row => Object.values(row as object)[0] as string)

it('a journal is written once, however often its button is clicked, and the log says by whom', async () => {
  const ann = await signIn('Ann')
  const fields = { store: 'downtown', day: DAY, _action: randomUUID() }
  const first = await act(ann, 'write-journal', fields)
  const second = await act(ann, 'write-journal', fields)
  expect(second.headers.get('location')).toBe(first.headers.get('location'))
  expect(await ended(ann, first)).toContain('It is done.')
  expect((await ann.get(`/books/downtown/${DAY}`)).text).toContain('is booked as')
  const [noted, ...more] = acts('console write-journal')
  expect(more).toEqual([])
  expect(JSON.parse(noted!)).toEqual({
    by: 'Ann',
    address: '127.0.0.1',
    command: `journal --store downtown --date ${DAY}`,
  })
})

it('what was started leads back to the page on which it was, and to no other place', async () => {
  const ann = await signIn('Ann')
  const page = `/books/downtown/${DAY}`
  expect((await ann.get(page)).text).toContain(`name="_from" value="${page}"`)
  const backFrom = async (from: string) => {
    const said = await ended(ann, await act(ann, 'write-journal', { ...FIELDS, _from: from }))
    return /<a href="([^"]+)">Back to where it was started/.exec(said)?.[1]
  }
  expect(await backFrom(page)).toBe(page)
  expect(await backFrom('//evil.example/')).toBeUndefined()
  expect((await ann.get('/runs')).text).toContain(`journal --store downtown --date ${DAY}`)
})
const FIELDS = { store: 'downtown', day: DAY }

it.each(['//evil.example/', '/\\evil.example', '/\t/evil.example', 'https://evil.example', ''])(
  'an address that is no page of ours leads nowhere back: %j',
  elsewhere => {
    expect(pageIn(new URLSearchParams({ _from: elsewhere }))).toBeUndefined()
    const page = '/books?month=2026-03'
    expect(pageIn(new URLSearchParams({ _from: page }))).toBe(page)
  },
)

it('the import of a journal is said of the revision that the page shows', async () => {
  const ann = await signIn('Ann')
  const page = `/books/downtown/${DAY}`
  expect((await ann.get(page)).text).toContain('name="revision" value="0" readonly')
  const said = { store: 'downtown', day: DAY, ref: 'QB-812' }
  expect((await act(ann, 'say-posted', said)).status).toBe(400)
  const other = await ended(ann, await act(ann, 'say-posted', { ...said, revision: '7' }))
  expect(other).toContain('no journal of revision 7')
  const first = await ended(ann, await act(ann, 'say-posted', { ...said, revision: '0' }))
  expect(first).toContain('--revision 0')
  expect((await ann.get(page)).text).toContain('QB-812')
})

it('an address for events is made, changed once however often it is asked for, and closed', async () => {
  const olga = await signIn('Olga')
  const store = { store: 'downtown' }
  const secrets = () =>
    project.query("SELECT secret FROM hook_addresses WHERE store_id = 'downtown'")
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
  const wrong = await planVendors(olga, 'no identity,', ',no name')
  expect(wrong).not.toContain('It is done')
  expect(wrong).toContain('action="/do/plan-catalog"')
  expect(wrong).toMatch(/<option value="vendors" selected>/)
  expect(wrong).toMatch(/<option value="downtown" selected>/)
  expect(await planVendors(olga, NAMES, 'V-RIGHT,Right Vendor')).not.toContain(
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
  ])('%s', async (_why, name, fields, status) => {
    const before = acts('console %').length
    const answer = await act(await signIn(name), 'write-journal', fields)
    expect(answer.status, answer.text).toBe(status)
    expect(acts('console %')).toHaveLength(before)
  })

  it('by who has not signed in', async () => {
    const answer = await new Visitor(served.url).post('/do/write-journal', journal)
    expect(answer.headers.get('location')).toBe('/sign-in')
  })

  it('from a page of somebody else, or with the token of another session', async () => {
    const [ann, other] = [await signIn('Ann'), await signIn('Ann')]
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

it('a command that is refused says so on its page', async () => {
  const ann = await signIn('Ann')
  const month = { month: '2026-03', store: '' }
  const text = await ended(ann, await act(ann, 'close-month', month))
  expect(text).toMatch(/something needs somebody|It failed/)
  expect(text).toContain('cannot be closed')
})

it('a plan is approved as its page showed it, by another than who prepared it', async () => {
  const olga = await signIn('Olga')
  const text = await planVendors(olga, NAMES, 'V-NEW,New Vendor')
  const plan = PLAN.exec(text)![1]!
  const page = (await olga.get(`/plans/${plan}`)).text
  const hash = /<code>([0-9a-f]{64})<\/code>/.exec(page)![1]!
  expect((await act(olga, 'approve-push', { plan, hash })).status).toBe(403)
  const oleg = await signIn('Oleg')
  const [hers, his] = [await olga.get(`/plans/${plan}`), await oleg.get(`/plans/${plan}`)]
  expect(hers.text).toMatch(/Olga prepared it, so somebody else approves it. Who may: .*Oleg/)
  expect(hers.text).not.toContain('action="/do/approve-push"')
  expect(his.text).toContain('action="/do/approve-push"')
  const other = hash.replace(/^./, digit => (digit === '0' ? '1' : '0'))
  const stale = await act(oleg, 'approve-push', { plan, hash: other })
  expect(stale.status).toBe(409)
  expect(await ended(oleg, await act(oleg, 'approve-push', { plan, hash }))).toContain('It is done')
  expect((await oleg.get(`/plans/${plan}`)).text).toContain('Oleg')
})

it('the files of an audit lead to whoever may see them, and the others read who may', async () => {
  expect((await project.run('audit', 'snapshot', '--store', 'downtown')).status).toBe(0)
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

it('whoever asked for changes of a plan is offered to take that back, and others read who asked', async () => {
  const [olga, oleg] = [await signIn('Olga'), await signIn('Oleg')]
  const plan = PLAN.exec(await planVendors(olga, NAMES, 'V-8,Eighth Vendor'))![1]!
  const form = 'action="/do/withdraw-push-request"'
  expect((await olga.get(`/plans/${plan}`)).text).not.toContain('takes that back')
  await ended(oleg, await act(oleg, 'ask-push', { plan, reason: 'it has another name' }))
  const [hers, his] = [await olga.get(`/plans/${plan}`), await oleg.get(`/plans/${plan}`)]
  expect(hers.text).toContain(
    'Oleg asks for changes; nothing is sent until it is planned anew, or Oleg takes that back.',
  )
  expect(hers.text).toContain('Take the request back: for Oleg, who asked for changes.')
  expect(hers.text).not.toContain(form)
  expect(his.text).toContain(form)
  expect(his.text).not.toContain('for Oleg, who asked')
})

it('whom a vendor names stands on no page but of an operator who said why', async () => {
  const [olga, oleg, vic] = [await signIn('Olga'), await signIn('Oleg'), await signIn('Vic')]
  const columns = `${NAMES},contact_first_name,email,phone,city`
  const people = ['Priscilla', 'priscilla@example.com', '555-0199']
  const told = await planVendors(olga, columns, `V-7,Seventh Vendor,${people.join(',')},Reno`)
  const plan = PLAN.exec(told)![1]!
  const pages = [told, (await olga.get(`/plans/${plan}`)).text, (await vic.get('/runs')).text]
  expect(people.filter(value => pages.some(text => text.includes(value)))).toEqual([])
  expect(pages[1]).toContain('Reno')
  const looks = { plan, reason: 'is it the right Priscilla' }
  expect((await act(vic, 'show-push-people', looks)).status).toBe(403)
  expect((await act(oleg, 'show-push-people', { plan, reason: '' })).status).toBe(400)
  const answer = await act(oleg, 'show-push-people', looks)
  const his = await ended(oleg, answer)
  expect(people.filter(value => !his.includes(value))).toEqual([])
  const hers = (await olga.get(answer.headers.get('location')!)).text
  expect(hers).toContain('is for Oleg alone')
  expect(people.filter(value => hers.includes(value))).toEqual([])
  expect(acts('console show-push-people')).toEqual([expect.stringContaining(looks.reason)])
  expect(acts('%')).not.toContainEqual(expect.stringMatching(/priscilla@|555-0199/))
})

it('a workbook that is small packed and huge unpacked is refused, and the console goes on', async () => {
  const olga = await signIn('Olga')
  const form = new FormData()
  form.set('_csrf', csrfOf(await olga.get('/plans')))
  form.set('_action', randomUUID())
  form.set('catalog', 'vendors')
  form.set('store', 'downtown')
  const bomb = new Uint8Array(hostileBook({ extra: Buffer.alloc(100 * 1024 * 1024) }))
  expect(bomb.length).toBeLessThan(1024 * 1024)
  form.set('file', new File([bomb], '../../bomb.xlsx'))
  const text = await ended(olga, await olga.postForm('/do/plan-catalog', form))
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

it('who prepared a plan does not approve it, whatever its rows say, and by no other name of it', async () => {
  const olga = await signIn('Olga')
  const long = Array.from({ length: 240 }, (_, at) => `${'X'.repeat(300)}${at},`)
  const rows = [
    'V-NEWER,Newer Vendor',
    ...long.slice(0, 150),
    'PL-20260101-deadbeef,',
    ...long.slice(150),
  ]
  const text = await planVendors(olga, NAMES, ...rows)
  const plan = PLAN.exec(text)![1]!
  const page = (await olga.get(`/plans/${plan}`)).text
  const hash = /<code>([0-9a-f]{64})<\/code>/.exec(page)![1]!
  const path = join(project.folder, 'tillage-data', 'push', plan, 'plan.jsonl')
  for (const [fields, status] of [
    [{ plan, hash }, 403],
    [{ plan: path, hash }, 409],
    [{ plan: path, hash: '' }, 400],
    [{ plan, hash, by: 'Oleg' }, 403],
  ] as const)
    expect((await act(olga, 'approve-push', fields)).status, JSON.stringify(fields)).toBe(status)
  const oleg = await signIn('Oleg')
  expect((await act(oleg, 'approve-push', { plan, hash: '' })).status).toBe(400)
  expect(project.query(`SELECT * FROM outbound_approvals WHERE plan = '${plan}'`)).toEqual([])
})

describe('records that no table took', () => {
  const change = (op: string, change: object): Promise<unknown> =>
    control(sandbox, 'POST', 'records', { store: 'downtown', stream: 'vendors', op, ...change })
  const LIST = { store: 'downtown', stream: 'vendors' }

  it('are loaded again one by one or a list at a time, and given up with a reason and a name', async () => {
    for (const id of ['bad-1', 'bad-2', 'bad-3'])
      await change('insert', { record: { id, name: 'Odd Farms', credits: 'a lot' } })
    expect((await project.run('sync', 'vendors', '--store', 'downtown')).status).toBe(3)
    const olga = await signIn('Olga')
    const problem = async (): Promise<string> =>
      (await olga.get('/problems/dead_letter')).text.replaceAll(/\s+/g, ' ')
    expect(await problem()).toContain('3 cases, 3 of them open')
    expect(await problem()).toContain('dead-letters replay --store downtown --stream vendors<')
    const again = await ended(olga, await act(olga, 'replay-letters', LIST))
    expect(again).toMatch(/downtown +vendors +0 +3/)
    expect(await problem()).toContain('3 cases, 3 of them open')

    const [one, other] = ['bad-1', 'bad-2'].map(key => ({ ...LIST, key, reason: 'no vendor' }))
    expect((await act(olga, 'discard-letter', { ...one, reason: '' })).status).toBe(400)
    await ended(olga, await act(olga, 'discard-letter', one!))
    await ended(olga, await act(olga, 'discard-letter', other!))
    // One is left: a form for a list would say the same as its own.
    expect(await problem()).toContain('1 case, 1 of them open')
    expect(await problem()).not.toContain('/do/replay-letters')
    expect(
      project.query('SELECT record_key, discarded_by, discard_reason FROM discarded_letters'),
    ).toEqual([
      ['bad-1', 'Olga', 'no vendor'],
      ['bad-2', 'Olga', 'no vendor'],
    ])
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
