import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { act, ended, NAMES, PLAN, planLines, startActing } from './acting.ts'
import type { Acting } from './acting.ts'

let scene: Acting
const signIn: Acting['signIn'] = name => scene.signIn(name)
beforeAll(async () => {
  scene = await startActing(['vendors'])
})
afterAll(() => scene.close())

it('a plan is approved as its page showed it, by another than who prepared it', async () => {
  const olga = await signIn('Olga')
  const text = await planLines(olga, NAMES, 'V-NEW,New Vendor')
  const plan = PLAN.exec(text)![1]!
  const page = (await olga.get(`/plans/${plan}`)).text
  expect(page).toContain('at once')
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
  expect(stale.text).not.toContain('tillage push diff')
  expect(await ended(oleg, await act(oleg, 'approve-push', { plan, hash }))).toContain('It is done')
  expect((await oleg.get(`/plans/${plan}`)).text).toContain('Oleg')
})

it('whoever asked for changes of a plan is offered to take that back, and others read who asked', async () => {
  const [olga, oleg] = [await signIn('Olga'), await signIn('Oleg')]
  const plan = PLAN.exec(await planLines(olga, NAMES, 'V-8,Eighth Vendor'))![1]!
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
  const told = await planLines(olga, columns, `V-7,Seventh Vendor,${people.join(',')},Reno`)
  const plan = PLAN.exec(told)![1]!
  const pages = [told, (await olga.get(`/plans/${plan}`)).text, (await vic.get('/runs')).text]
  expect(people.filter(value => pages.some(text => text.includes(value)))).toEqual([])
  expect(pages[1]).toContain('Reno')
  const asked = { plan, reason: 'is it the right Priscilla' }
  expect((await act(vic, 'show-push-people', asked)).status).toBe(403)
  expect((await act(oleg, 'show-push-people', { plan, reason: '' })).status).toBe(400)
  const answer = await act(oleg, 'show-push-people', asked)
  const his = await ended(oleg, answer)
  expect(people.filter(value => !his.includes(value))).toEqual([])
  const hers = (await olga.get(answer.headers.get('location')!)).text
  expect(hers).toContain('is for Oleg alone')
  expect(people.filter(value => hers.includes(value))).toEqual([])
  expect(scene.acts('console show-push-people')).toEqual([expect.stringContaining(asked.reason)])
  expect(scene.acts('%')).not.toContainEqual(expect.stringMatching(/priscilla@|555-0199/))
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
  const text = await planLines(olga, NAMES, ...rows)
  const plan = PLAN.exec(text)![1]!
  const page = (await olga.get(`/plans/${plan}`)).text
  const hash = /<code>([0-9a-f]{64})<\/code>/.exec(page)![1]!
  const path = join(scene.project.folder, 'tillage-data', 'push', plan, 'plan.jsonl')
  for (const [fields, status] of [
    [{ plan, hash }, 403],
    [{ plan: path, hash }, 409],
    [{ plan: path, hash: '' }, 400],
    [{ plan, hash, by: 'Oleg' }, 403],
  ] as const)
    expect((await act(olga, 'approve-push', fields)).status, JSON.stringify(fields)).toBe(status)
  const oleg = await signIn('Oleg')
  expect((await act(oleg, 'approve-push', { plan, hash: '' })).status).toBe(400)
  expect(scene.project.query(`SELECT * FROM outbound_approvals WHERE plan = '${plan}'`)).toEqual([])
})
