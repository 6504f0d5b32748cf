import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { dayOf, wallTime } from '../../calendar/clock.ts'
import { addDays, DAY_MS, HOUR_MS, toIso } from '../../calendar/days.ts'
import type { NoticeDocument } from '../../notify/document.ts'
import { NOTHING_SCHEDULED, startProject, storesOf, waitFor } from '../helpers/project.ts'
import { receiveMail, receiveWeb } from '../notify/receivers.ts'
import type { MailReceiver, WebReceiver } from '../notify/receivers.ts'

const ZONE = 'America/Los_Angeles'
const TODAY = dayOf(Date.now(), ZONE)
/** So long ago that the night of today has been missed, whatever hour it is. */
const NIGHT = wallTime(Date.now() - 6 * HOUR_MS, ZONE)
/** Appends its input and the key of the notice to the file that is its argument. */
const PROGRAM = `const fs = require('node:fs')
  fs.appendFileSync(process.argv[1], fs.readFileSync(0, 'utf8'))`

let started: Awaited<ReturnType<typeof startProject>>
let web: WebReceiver
let mail: MailReceiver
/** The receiver that is down comes back. */
let isBack = false

beforeAll(async () => {
  started = await startProject({ stores: 1, days: 6, transactionsPerDay: 10, until: TODAY })
  web = await receiveWeb(path => {
    if (path === '/slow') return undefined
    return path === '/down' && !isBack ? 503 : 200
  })
  mail = await receiveMail()
  const channels = [
    { id: 'json', url: `${web.url}/json` },
    { id: 'slack', url: `${web.url}/slack`, as: 'slack' },
    { id: 'teams', url: `${web.url}/teams`, as: 'teams' },
    { id: 'mail', smtp: mail.url, from: 'books@example.com', to: ['ann@example.com'] },
    { id: 'pager', command: [process.execPath, '-e', PROGRAM, pages()] },
    { id: 'down', url: `${web.url}/down` },
    { id: 'slow', url: `${web.url}/slow` },
  ]
  started.project.configure(storesOf(started.sandbox), {
    schedules: { ...NOTHING_SCHEDULED, nightly: { at: NIGHT } },
    notify: { channels, heartbeat: `${web.url}/heartbeat?token=hidden` },
  })
})
afterAll(async () => {
  await started.close()
  await web.close()
  await mail.close()
})

const pages = (): string => join(started.project.folder, 'pages.jsonl')
/** Whole lines: the program may be about to write one. */
const paged = (): NoticeDocument[] =>
  existsSync(pages()) ? readFileSync(pages(), 'utf8').split('\n').slice(0, -1).map(asNotice) : []
const asNotice = (line: string): NoticeDocument => JSON.parse(line) as NoticeDocument
const cameTo = (path: string) => web.came.filter(one => one.path.startsWith(path))
const notices = (): NoticeDocument[] => cameTo('/json').map(({ body }) => asNotice(body))
const brief = ({ kind, state }: NoticeDocument): string => `${kind} ${state}`

async function say<Answer>(...args: string[]): Promise<Answer> {
  return JSON.parse((await started.project.run(...args, '--json')).stdout) as Answer
}

interface Listed {
  open: NoticeDocument[]
  deliveries: { channel: string; id: string; state: string; outcome: string; attempts: number }[]
}

/** By channel. That something has come is noted a moment after it has. */
async function outcomes(): Promise<Record<string, string>> {
  const { deliveries } = await say<Listed>('notify', 'list')
  return Object.fromEntries(deliveries.map(({ channel, outcome }) => [channel, outcome]))
}

/** As if the program had been there for so long, without the test that takes as long. */
function change(sql: string, ...values: string[]): void {
  const database = new Database(join(started.project.folder, 'tillage-data', 'tillage.db'))
  database.pragma('busy_timeout = 60000')
  database.prepare(sql).run(...values)
  database.close()
}

it('nights that were slept over call on every channel, books end it, and then the heart beats', async () => {
  const { project } = started
  const up = project.start('up')
  let said = ''
  up.stderr!.on('data', (chunk: Buffer) => (said += chunk.toString()))
  await waitFor(() => said.includes('up: Temporal'), 'the schedules')
  const nowMs = Date.now()
  change("UPDATE schedules SET since = ? WHERE kind = 'nightly'", toIso(nowMs - 2 * DAY_MS))
  await waitFor(() => paged().length > 0 && mail.mails.length > 0, 'the pager and the mail')
  const addresses = ['/json', '/slack', '/teams', '/down']
  await waitFor(() => addresses.every(path => cameTo(path).length > 0), 'the other channels')

  // One notice for the store, the same on each channel, under one key, and the same as `status`.
  const [opened] = notices()
  expect([brief(opened!), opened!.store]).toEqual(['night_missed opened', 'downtown'])
  expect(opened!.text.split('\n')).toHaveLength(2)
  expect(paged()).toEqual([opened])
  const keys = addresses.map(path => cameTo(path)[0]!.key)
  expect(new Set(keys)).toEqual(new Set([`${opened!.id}/1`]))
  expect(cameTo('/slack')[0]!.body).toContain(opened!.title)
  expect(cameTo('/teams')[0]!.body).toContain('AdaptiveCard')
  expect(mail.mails[0]).toContain(`Subject: [critical] ${opened!.title}`)
  expect(mail.mails[0]).toContain(`Idempotency-Key: ${opened!.id}/1`)
  const status = await say<{ notices: { kind: string; text: string }[] }>('status')
  const missed = status.notices.filter(({ kind }) => kind === 'night_missed')
  expect(missed.map(({ text }) => opened!.text.includes(text))).toEqual([true, true])
  const listed = await say<Listed>('notify', 'list')
  expect(listed.open.map(({ id, kind }) => [id, kind])).toEqual([[opened!.id, 'night_missed']])
  expect(cameTo('/heartbeat')).toEqual([])

  // The receiver that is down, and the one that does not answer, are known and are tried again.
  const kept = (): unknown[] =>
    project.query("SELECT 1 FROM deliveries WHERE channel IN ('down', 'slow') AND attempts > 0")
  await waitFor(() => kept().length > 1, 'both to be tried in vain')
  await expect.poll(outcomes).toMatchObject({
    json: 'taken',
    mail: 'taken',
    pager: 'taken',
    down: 'waiting: it answered 503',
    slow: 'waiting: no answer within 10 seconds',
  })

  // The channel takes nothing for an hour; a person has the books made, and the heart beats once.
  change("UPDATE deliveries SET at = ? WHERE channel = 'down'", toIso(nowMs - HOUR_MS))
  const early = ['--from', addDays(TODAY, -4), '--to', addDays(TODAY, 1)]
  const refused = await project.run('schedule', 'backfill', '--store', 'downtown', ...early)
  expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining('is not over')])
  const range = ['--from', addDays(TODAY, -4), '--to', TODAY]
  const booked = await project.run('schedule', 'backfill', '--store', 'downtown', ...range)
  expect(booked.status, booked.stderr).toBe(0)
  await waitFor(() => notices().length > 2 && cameTo('/heartbeat').length > 0, 'the end')
  expect(notices().map(brief).toSorted()).toEqual([
    'delivery_failed opened',
    'night_missed closed',
    'night_missed opened',
  ])
  const closed = notices().find(({ state }) => state === 'closed')!
  expect([closed.id, closed.title]).toEqual([opened!.id, `Over: ${opened!.title}`])
  const failed = notices().find(({ kind }) => kind === 'delivery_failed')!
  expect(failed.text).toContain('the channel down has taken nothing since')

  // Once it is back, it hears of a beginning before its end, and that it was away only elsewhere.
  const before = web.came.length
  isBack = true
  const toldDown = (): string[] => [
    ...new Set(
      web.came
        .slice(before)
        .flatMap(({ path, body }) => (path === '/down' ? brief(asNotice(body)) : [])),
    ),
  ]
  await waitFor(() => toldDown().length > 1, 'what it has missed')
  await waitFor(() => notices().length > 3, 'the end of the notice about the channel')
  expect(brief(notices()[3]!)).toBe('delivery_failed closed')
  expect(toldDown()).toEqual(['night_missed opened', 'night_missed closed'])

  up.kill('SIGINT')
  const { status: exit, stderr } = await up.outcome
  expect(exit, stderr).toBe(0)
  expect(cameTo('/heartbeat')).toHaveLength(1)
  expect(stderr).not.toContain('hidden')
})
