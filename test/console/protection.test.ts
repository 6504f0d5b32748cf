import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { get } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { hashPassword } from '../../console/password-hash.ts'
import { Sessions } from '../../console/sessions.ts'
import { WrongPasswords } from '../../console/wrong-passwords.ts'
import { makeFolder, problemsOf, STORE } from '../config/loading.ts'
import { csrfOf, enter, startScene, Visitor } from './console.ts'
import type { Scene } from './console.ts'

makeFolder()

test('a page that is open in a browser keeps no console from closing', async () => {
  const { served, close } = await startScene()
  const { cookie } = await enter(served)
  const ended = once(await listenTo(served, cookie), 'end').catch(String)
  await close()
  expect(await ended).toContain('aborted')
})

test('whoever signs out hears of nothing any more, and another goes on listening', async () => {
  const { served, folder, close } = await startScene()
  const { issueTicket } = await import('../../console/tickets.ts')
  const [leaving, staying] = [await enter(served), new Visitor(served.url)]
  await staying.get(`/sign-in?ticket=${issueTicket(`${folder}/tillage-data/tillage.db`)}`)
  const [left, stays] = [
    await listenTo(served, leaving.cookie),
    await listenTo(served, staying.cookie),
  ]
  const ended = once(left, 'end')
  await leaving.post('/sign-out', { _csrf: csrfOf(await leaving.get('/plans')) })
  await ended
  expect(stays.complete).toBe(false)
  await close()
})

async function listenTo({ url }: { url: string }, cookie: string): Promise<IncomingMessage> {
  const events = await new Promise<IncomingMessage>(resolve =>
    get(`${url}/events`, { headers: { cookie } }, resolve),
  )
  return events.resume()
}

describe('without users', () => {
  let scene: Scene
  beforeAll(async () => {
    scene = await startScene()
  })
  afterAll(() => scene.close())

  it('a ticket works once, and without a session every page leads to the sign-in', async () => {
    const { served } = scene
    const stranger = new Visitor(served.url)
    expect((await stranger.get('/')).headers.get('location')).toBe('/sign-in')
    const visitor = await enter(served)
    expect((await visitor.get('/')).status).toBe(200)
    const again = await new Visitor(served.url).get(served.signIn)
    expect([again.status, again.headers.get('set-cookie')]).toEqual([403, null])
    expect((await stranger.get('/sign-in?ticket=made-up')).status).toBe(403)
    expect((await stranger.get('/sign-in?ticket=../../tillage.yaml')).status).toBe(403)
    expect((await stranger.get('/events')).status).toBe(403)
  })

  it('a cookie is for this site and for no script; a session of before is over', async () => {
    const visitor = new Visitor(scene.served.url)
    visitor.cookie = 'tillage_session=chosen-by-somebody-else'
    const { issueTicket } = await import('../../console/tickets.ts')
    const ticket = issueTicket(`${scene.folder}/tillage-data/tillage.db`)
    const answer = await visitor.get(`/sign-in?ticket=${ticket}`)
    const cookie = answer.headers.get('set-cookie')!
    expect(cookie).toMatch(/^tillage_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/)
    const before = visitor.cookie
    const next = issueTicket(`${scene.folder}/tillage-data/tillage.db`)
    await visitor.get(`/sign-in?ticket=${next}`)
    const old = new Visitor(scene.served.url)
    old.cookie = before
    expect((await old.get('/')).status).toBe(303)
    expect((await visitor.get('/')).status).toBe(200)
  })

  it.each(['evil.example', '127.0.0.1.evil.example', '127.0.0.1:1', 'localhost', 'a@127.0.0.1'])(
    'another name for this address is refused: %j',
    async host => {
      const { port } = new URL(scene.served.url)
      const status = await new Promise(resolve =>
        get({ host: '127.0.0.1', port, path: '/', headers: { host } }, answer => {
          answer.resume()
          resolve(answer.statusCode)
        }),
      )
      expect(status).toBe(421)
    },
  )

  it('every answer, whatever it is, has the headers that protect it', async () => {
    const visitor = new Visitor(scene.served.url)
    for (const path of [
      '/',
      '/nothing',
      '/sign-in',
      '/assets/console.css',
      '/../etc/passwd',
      '/plans/%FF',
    ]) {
      const { headers } = await visitor.get(path)
      const policy = headers.get('content-security-policy')
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toContain('unsafe')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
    }
  })

  it.each([
    [{ origin: 'https://evil.example' }, 403],
    [{ origin: 'null' }, 403],
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ 'sec-fetch-site': 'same-site', origin: 'null' }, 403],
    [{ 'sec-fetch-site': 'same-origin', origin: 'null' }, 303],
    [{}, 303],
  ])('a form from %j gets %i', async (headers, status) => {
    const visitor = new Visitor(scene.served.url)
    const sent = await visitor.post('/sign-out', {}, headers)
    expect(sent.status).toBe(status)
  })
})

describe('with users', () => {
  let scene: Scene
  const password = 'correct horse battery'
  beforeAll(async () => {
    const hash = await hashPassword(password)
    scene = await startScene({
      users: [
        { name: 'Dana', role: 'accountant', password: hash },
        { name: 'Vic', role: 'viewer', password: hash },
      ],
    })
  })
  afterAll(() => scene.close())

  it('a name and its password sign in, and nothing else does', async () => {
    const visitor = new Visitor(scene.served.url)
    for (const [name, word] of [
      ['Dana', 'wrong'],
      ['Nobody', password],
      ['', ''],
    ])
      expect((await visitor.post('/sign-in', { name, password: word })).status).toBe(403)
    expect(visitor.cookie).toBe('')
    expect((await visitor.post('/sign-in', { name: 'dana', password })).status).toBe(303)
    const page = await visitor.get('/')
    expect(page.text).toContain('Dana (accountant)')
    expect(scene.served.signIn).toBe(`${scene.served.url}/sign-in`)
  })

  it('whoever asked for a page is on it after signing in, and is led to no other place', async () => {
    const visitor = new Visitor(scene.served.url)
    const { headers } = await visitor.get('/plans?store=downtown')
    const address = headers.get('location')!
    const page = await visitor.get(address)
    expect(page.text).toContain(`action="${address}"`)
    expect(page.text).toContain('<a href="/plans?store=downtown">Go on</a>')
    const wrong = await visitor.post(address, { name: 'Dana', password: 'wrong' })
    expect(wrong.text).toContain(`action="${address}"`)
    const right = await visitor.post(address, { name: 'Dana', password })
    expect(right.headers.get('location')).toBe('/plans?store=downtown')
    for (const to of [
      '//evil.example',
      'https://evil.example',
      '/\\evil.example',
      '/\t/evil.example',
    ]) {
      const path = `/sign-in?to=${encodeURIComponent(to)}`
      const { headers: led } = await visitor.post(path, { name: 'Dana', password })
      expect(led.get('location')).toBe('/')
    }
  })

  it('a second tab with another user ends the first: its forms are refused, and say why', async () => {
    const browser = new Visitor(scene.served.url)
    await browser.post('/sign-in', { name: 'Dana', password })
    const first = csrfOf(await browser.get('/books'))
    const { cookie } = browser
    await browser.post('/sign-in', { name: 'Vic', password })
    expect(browser.cookie).not.toBe(cookie)
    const fields = { _csrf: first, _action: randomUUID(), store: 'downtown', day: '2026-03-05' }
    const sent = await browser.post('/do/write-journal', fields)
    expect([sent.status, sent.text]).toEqual([403, expect.stringContaining('not one of your')])
    const old = new Visitor(scene.served.url)
    old.cookie = cookie
    expect((await old.post('/do/write-journal', fields)).headers.get('location')).toBe('/sign-in')
  })

  it('a huge upload is refused: of nobody before it is read, of a user at 32 MB', async () => {
    const stranger = new Visitor(scene.served.url)
    const form = new FormData()
    form.set('file', new File([new Uint8Array(33 * 1024 * 1024)], 'v.csv'))
    const nobody = await stranger.postForm('/do/plan-catalog', form).catch(() => undefined)
    expect(nobody?.headers.get('location') ?? '/sign-in').toBe('/sign-in')
    const dana = new Visitor(scene.served.url)
    await dana.post('/sign-in', { name: 'Dana', password })
    const user = await dana.postForm('/do/plan-catalog', form).catch(() => undefined)
    expect(user?.status ?? 413).toBe(413)
    expect(user?.text ?? 'at most 32 MB').toContain('at most 32 MB')
    expect((await dana.get('/')).status).toBe(200)
    const long = await dana.post('/sign-out', { _csrf: 'x'.repeat(65 * 1024) })
    expect(long.status).toBe(413)
    expect(long.text).toContain(
      'That is too large: all files of a form together have at most 32 MB',
    )
  })

  it('signing out with the token of the session ends it', async () => {
    const visitor = new Visitor(scene.served.url)
    await visitor.post('/sign-in', { name: 'Dana', password })
    const { cookie } = visitor
    const token = csrfOf(await visitor.get('/'))
    for (const form of [{ _csrf: 'another' }, {}])
      expect((await visitor.post('/sign-out', form)).status).toBe(403)
    visitor.cookie = cookie
    expect((await visitor.get('/')).status).toBe(200)
    await visitor.post('/sign-out', { _csrf: token })
    visitor.cookie = cookie
    expect((await visitor.get('/')).status).toBe(303)
  })
})

test('ten wrong passwords close a name and an address for ten minutes', () => {
  const wrong = new WrongPasswords()
  for (let at = 0; at < 10; at++) {
    expect(wrong.isClosed(['name dana', 'address 1'], at)).toBe(false)
    wrong.note(['name dana', 'address 1'], at)
  }
  expect(wrong.isClosed(['name dana', 'address 2'], 10)).toBe(true)
  expect(wrong.isClosed(['name ana', 'address 1'], 10)).toBe(true)
  expect(wrong.isClosed(['name ana', 'address 2'], 10)).toBe(false)
  expect(wrong.isClosed(['name dana', 'address 1'], 10 * 60_000 + 8)).toBe(true)
  expect(wrong.isClosed(['name dana', 'address 1'], 10 * 60_000 + 9)).toBe(false)
})

test('they close for ten minutes after the tenth, whenever the first was', () => {
  const wrong = new WrongPasswords()
  for (let at = 0; at < 10; at++) wrong.note(['name dana'], at * 65_000)
  expect(wrong.isClosed(['name dana'], 9 * 65_000 + 599_999)).toBe(true)
  expect(wrong.isClosed(['name dana'], 9 * 65_000 + 600_000)).toBe(false)
  // The twin: ten of which two are never within ten minutes of all others close nothing.
  for (let at = 0; at < 20; at++) wrong.note(['name ana'], at * 70_000)
  expect(wrong.isClosed(['name ana'], 20 * 70_000)).toBe(false)
})

test('wrong passwords of a time that has not come yet, since a clock was put back, close nothing', () => {
  const wrong = new WrongPasswords()
  for (let at = 0; at < 10; at++) wrong.note(['name dana'], 3_600_000 + at)
  expect(wrong.isClosed(['name dana'], 0)).toBe(false)
  for (let at = 0; at < 10; at++) wrong.note(['name dana'], at)
  expect(wrong.isClosed(['name dana'], 10)).toBe(true)
})

test('a session that was refused once is over, and so is one of a clock that was put back', () => {
  const sessions = new Sessions()
  const ann = { name: undefined, role: 'viewer' } as const
  const { id } = sessions.begin(ann, 1_000)
  expect(sessions.find(id, 1_000)?.id).toBe(id)
  expect(sessions.find(id, 1_000 + 12 * 3_600_000)).toBeUndefined()
  expect(sessions.find(id, 1_000)).toBeUndefined()
  const next = sessions.begin(ann, 3_600_000)
  // A clock is corrected by as much without anybody's doing.
  expect(sessions.find(next.id, 3_599_000)?.id).toBe(next.id)
  expect(sessions.find(next.id, 0)).toBeUndefined()
})

test('others reach the console only where people have names, and it has one itself', () => {
  const said = (settings: object): readonly string[] =>
    problemsOf(`stores:${STORE}\nconsole: ${JSON.stringify(settings)}`)
  expect(said({ listen: '0.0.0.0:8760' })).toEqual([
    expect.stringContaining('console.users is needed where others'),
    expect.stringContaining('console.publicUrl is needed where it listens'),
  ])
  expect(said({ publicUrl: 'https://tillage.example.com' })).toHaveLength(1)
  expect(said({ publicUrl: 'http://tillage.example.com' }).join()).toContain('must be https://')
  const plain = { name: 'Dana', role: 'viewer', password: 'hunter2' }
  expect(said({ users: [plain] }).join()).toContain('is no hash of a password')
  expect(said({ users: [plain] }).join()).not.toContain('hunter2')
})
