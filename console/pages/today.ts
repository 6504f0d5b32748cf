import { bookedStream } from '../../books/order-journal.ts'
import { wallMinute } from '../../calendar/clock.ts'
import { fromIso, toMinute } from '../../calendar/days.ts'
import { noticesOf, readEverything } from '../../commands/status/read-everything.ts'
import { countOf } from '../../commands/terminal/number.ts'
import { html } from '../../documents/html.ts'
import type { Html } from '../../documents/html.ts'
import { dueFirst } from '../../schedules/read-due.ts'
import type { DueLine } from '../../schedules/read-due.ts'
import { needsPerson } from '../../standing/alarm-kinds.ts'
import type { Notice } from '../../standing/notice.ts'
import type { StoreStanding } from '../../standing/read-store.ts'
import type { ShowPage } from '../page.ts'
import type { DataTable } from '../parts/data-table.ts'
import { link, pathOf } from '../parts/data-table.ts'
import { statusCell, statusMark } from '../parts/status.ts'
import type { Status } from '../parts/status.ts'
import { commonZone } from '../parts/zone.ts'
import { pageOfNotice } from './problem-links.ts'

/** Per store how it stands, what waits for somebody, what is due next and what did not happen. */
export const showToday: ShowPage = async (place, { nowMs }) => {
  const everything = await readEverything(place, { nowMs, worker: place.worker, countsRows: false })
  const notices = noticesOf(everything).filter(needsPerson)
  return {
    title: 'Today',
    sentence: sentenceOf(everything.stores, notices),
    timeZone: commonZone(everything.stores),
    parts: [storesOf(everything.stores), waitingTable(notices), dueTable(everything.due)],
    command: 'tillage status',
  }
}

function sentenceOf(stores: readonly StoreStanding[], notices: readonly Notice[]): string {
  const bad = stores.filter(store => needs(store) > 0)
  if (notices.length === 0)
    return stores.length === 1
      ? `${stores[0]!.store} needs nobody.`
      : `All ${countOf(stores.length, 'store')} are in order; nothing waits for anybody.`
  const critical = notices.filter(({ severity }) => severity === 'critical').length
  const where =
    bad.length === 0
      ? 'of the programs themselves'
      : `at ${bad.length <= 3 ? bad.map(({ store }) => store).join(', ') : countOf(bad.length, 'store')}`
  return (
    `${countOf(notices.length, 'thing')} ${notices.length === 1 ? 'waits' : 'wait'} for somebody ` +
    `${where}${critical === 0 ? '.' : `, ${critical} of them now.`}`
  )
}

const needs = ({ notices }: StoreStanding): number => notices.filter(needsPerson).length

const storesOf = (stores: readonly StoreStanding[]): Html =>
  html`<section>
    <h2>Stores</h2>
    <ul class="stores">
      ${stores.map(
        one =>
          html`<li>
            <h3><a href="/coverage?store=${encodeURIComponent(one.store)}">${one.store}</a></h3>
            <p>${statusMark(statusOf(one), wordOf(one))}</p>
            ${one.notices
              .filter(needsPerson)
              .slice(0, 3)
              .map(({ text }) => html`<p>${text}</p>`)}
          </li>`,
      )}
    </ul>
  </section>`

function statusOf({ streams, notices }: StoreStanding): Status {
  if (streams.every(({ lastReadAt }) => lastReadAt === null)) return 'never read'
  if (streams.some(({ unproven }) => unproven > 0)) return 'unproven'
  if (notices.some(({ severity }) => severity === 'critical')) return 'failed'
  return notices.some(({ severity }) => severity === 'warning') ? 'late' : 'proven'
}

function wordOf(one: StoreStanding): string {
  // Another list may be further: what everybody asks about is the sales.
  const sales = one.streams.find(({ stream }) => stream === bookedStream().name)
  const until = sales?.watermark ?? undefined
  const status = statusOf(one)
  if (status === 'never read') return 'never read'
  const proven =
    until === undefined
      ? 'no sale is proven'
      : `sales proven until ${wallMinute(fromIso(until), one.timeZone)}`
  return status === 'proven' ? proven : `${proven}; ${countOf(needs(one), 'thing')} to do`
}

const waitingTable = (notices: readonly Notice[]): DataTable => ({
  id: 'waiting',
  title: 'What waits for somebody',
  columns: [
    { name: 'how bad' },
    { name: 'store' },
    { name: 'what' },
    { name: 'since (UTC)' },
    { name: 'next step' },
  ],
  rows: notices.map(one => [
    statusCell(one.severity === 'critical' ? 'failed' : 'late', one.severity),
    one.store ?? '',
    link(pageOfNotice(one), one.text),
    toMinute(one.since ?? ''),
    one.next.map(({ command }) => command).join('; '),
  ]),
  empty: 'Nothing waits for anybody.',
})

const STATUS_OF: Readonly<Record<DueLine['standing'], Status>> = {
  waiting: 'not due',
  running: 'running',
  done: 'done',
  'done late': 'late',
  failed: 'failed',
  'at risk': 'late',
  missed: 'failed',
  'not started': 'failed',
  paused: 'parked',
  stuck: 'failed',
  halted: 'late',
}

export const dueTable = (due: readonly DueLine[]): DataTable => ({
  id: 'due',
  title: 'What is due, and what was',
  columns: [
    { name: 'schedule' },
    { name: 'store' },
    { name: 'day' },
    { name: 'due (store time)' },
    { name: 'ready by' },
    { name: 'stands' },
    { name: 'why' },
  ],
  rows: due
    .toSorted(dueFirst)
    .map(line => [
      link(pathOf('runs', line.schedule), line.schedule),
      line.store,
      line.day,
      wallMinute(fromIso(line.dueAt), line.timeZone),
      line.deadlineAt === null ? '' : wallMinute(fromIso(line.deadlineAt), line.timeZone),
      statusCell(STATUS_OF[line.standing], line.standing),
      line.detail,
    ]),
  empty: 'No schedule is on. tillage up applies those of tillage.yaml.',
})
