import { dayOf, dayStart } from '../../calendar/clock.ts'
import { addDays, daysBetween, isDay, toIso } from '../../calendar/days.ts'
import { countOf } from '../../commands/terminal/number.ts'
import type { CoveragePart } from '../../connectors/destination/coverage.ts'
import { reachedMs, standingOf } from '../../connectors/destination/ledger.ts'
import type { ReadOnlyDatabase } from '../../connectors/destination/read-only.ts'
import { findStream, streams } from '../../connectors/partner/streams/index.ts'
import { html, NOTHING } from '../../documents/html.ts'
import type { Html } from '../../documents/html.ts'
import { coverageLines, readCoverage } from '../../standing/read-coverage.ts'
import type { StoreCoverage } from '../../standing/read-coverage.ts'
import { actionForms } from '../actions/form.ts'
import type { ShowPage } from '../page.ts'
import { chosenDays, chosenStore, chosenStream, MOST_DAYS } from '../parts/chosen.ts'
import { link, pathOf } from '../parts/data-table.ts'
import type { DataTable } from '../parts/data-table.ts'
import { filterForm } from '../parts/filter-form.ts'
import { glyphOf, statusCell } from '../parts/status.ts'
import type { Status } from '../parts/status.ts'

/** A store's lists, day by day: proven, stale, unproven, never read. */
export const showCoverage: ShowPage = async (place, request) => {
  const { database } = place
  const { nowMs } = request
  const store = chosenStore(request)
  const timeZone = await database.zoneOfRows(store)
  // What is not over cannot be proven yet.
  const { isCut, ...days } = chosenDays(request, addDays(dayOf(nowMs, timeZone), -1))
  const named = chosenStream(request)
  const shown = streams.filter(({ name }) => named === '' || name === named)
  const range = { from: days.from, to: addDays(days.to, 1) }
  const all = await readCoverage(
    database,
    store,
    shown.map(({ name }) => name),
    range,
  )
  const offered = all.filter(one => one.offered)
  const filters = [
    { name: 'store', label: 'Store', value: store, choices: request.stores },
    { name: 'stream', label: 'List', value: named, choices: ['', ...streams.map(one => one.name)] },
    { name: 'from', label: 'From', value: days.from, type: 'date' as const },
    { name: 'to', label: 'To', value: days.to, type: 'date' as const },
  ]
  return {
    title: 'Coverage',
    sentence: sentenceOf(store, offered, days, dayStart(dayOf(nowMs, timeZone), timeZone)),
    timeZone,
    parts: [
      filterForm('/coverage', filters),
      isCut ? html`<p>A page has at most ${MOST_DAYS} days: these are the last ones.</p>` : NOTHING,
      calendarOf(offered, days, nowMs),
      await (named === '' ? openTable(database, offered) : partsTable(database, offered)),
      actionForms(request, [['read-again', { store, stream: named, ...days }]]),
    ],
    command: `tillage coverage ${named === '' ? 'STREAM' : named} --store ${store} --from ${range.from} --to ${range.to}`,
  }
}

function sentenceOf(
  store: string,
  all: readonly StoreCoverage[],
  { from, to }: { from: string; to: string },
  todayMs: number,
): string {
  const open = all.filter(({ parts }) => parts.some(({ status }) => status === 'unproven'))
  const range = `from ${from} to ${to}`
  if (all.length === 0) return `The API of ${store} does not offer it, so nothing is to be proven.`
  if (all.every(({ timeZone }) => dayStart(from, timeZone) >= todayMs))
    return `No day of ${store} ${range} is over yet.`
  if (open.length > 0)
    return `Not all of ${store} is proven ${range}: ${countOf(open.length, 'list')} of ${all.length} ${open.length === 1 ? 'has' : 'have'} unproven windows.`
  // A day that is not over is due to nobody.
  const unread = all.filter(({ parts }) =>
    parts.some(({ status, startMs }) => status === 'never read' && startMs < todayMs),
  )
  if (unread.length === 0) return `${store} is proven ${range}, as far as its days are over.`
  if (unread.length === all.length) return `No list of ${store} was read whole ${range}.`
  return `What was read of ${store} ${range} is proven; ${countOf(unread.length, 'list')} of ${all.length} ${unread.length === 1 ? 'has' : 'have'} time that was never read.`
}

/** The worst of a day decides how it is shown. */
const WORST_FIRST = ['unproven', 'never read', 'stale', 'proven'] as const

/** Of a day that is not over, nothing is due. */
function dayStatus({ parts, timeZone }: StoreCoverage, day: string, nowMs: number): Status {
  const startMs = dayStart(day, timeZone)
  const endMs = dayStart(addDays(day, 1), timeZone)
  const within = parts.filter(part => part.startMs < endMs && part.endMs > startMs)
  const known = WORST_FIRST.find(status => within.some(part => part.status === status))
  if (known !== undefined && known !== 'never read') return known
  return endMs > nowMs ? 'not due' : 'never read'
}

const inWords = (status: Status): string => (status === 'not due' ? 'not over yet' : status)

function calendarOf(
  all: readonly StoreCoverage[],
  { from, to }: { from: string; to: string },
  nowMs: number,
): Html {
  const days = Array.from({ length: daysBetween(from, to) + 1 }, (_, index) => addDays(from, index))
  return html`<section>
    <h2 id="calendar">Day by day</h2>
    <div class="wide" role="region" aria-labelledby="calendar" tabindex="0">
      <table class="calendar">
        <thead>
          <tr>
            <td></td>
            ${[...Map.groupBy(days, monthOf)].map(
              ([month, of]) => html`<th scope="colgroup" colspan="${of.length}">${month}</th>`,
            )}
          </tr>
          <tr>
            <th scope="col">list</th>
            ${days.map(day => html`<th scope="col"><i>${day.slice(0, 8)}</i>${day.slice(8)}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${all.map(
            one =>
              html`<tr>
                <th scope="row"><a href="${listAddress(one, { from, to })}">${one.stream}</a></th>
                ${days.map(day => dayCell(one, day, nowMs))}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    <p class="below">✓ proven · ◷ stale: a run is due · ✗ unproven · ○ never read · · not due</p>
  </section>`
}

const monthOf = (day: string): string => day.slice(0, 7)

/** Where every range of the list is told of by itself. */
const listAddress = (
  { store, stream }: StoreCoverage,
  days: { from: string; to: string },
): string => `/coverage?${new URLSearchParams({ store, stream, ...days }).toString()}`

/** A month has hundreds: each byte counts. What is wrong leads to its reasons. */
function dayCell(one: StoreCoverage, day: string, nowMs: number): Html {
  const status = dayStatus(one, day, nowMs)
  const mark = html`${glyphOf(status)}<i> ${status}</i>`
  const href = pathOf('coverage', one.store, one.stream, day)
  const shown = status === 'unproven' ? html`<a href="${href}">${mark}</a>` : mark
  return html`<td class="${status.replace(' ', '-')}">${shown}</td>`
}

const partsTable = async (
  database: Pick<ReadOnlyDatabase, 'rows'>,
  all: readonly StoreCoverage[],
): Promise<DataTable> => ({
  id: 'windows',
  title: 'What is known of each range',
  columns: [
    { name: 'list' },
    { name: 'first day' },
    { name: 'last day' },
    { name: 'status' },
    { name: 'rows', kind: 'number' },
    { name: 'read (store time)' },
    { name: 'evidence' },
  ],
  rows: (await Promise.all(all.map(one => partRows(database, one)))).flat(),
  empty: 'Nothing was read yet: tillage sync begins.',
})

async function partRows(
  database: Pick<ReadOnlyDatabase, 'rows'>,
  one: StoreCoverage,
): Promise<DataTable['rows']> {
  const { store, stream } = one
  return (await coverageLines(database, one)).map(line => [
    stream,
    link(pathOf('coverage', store, stream, line.firstDay), line.firstDay),
    line.lastDay,
    statusCell(line.status),
    line.rows ?? '',
    line.readAt,
    line.evidence,
  ])
}

/** Of all lists at once: what is not proven; the rest is in the calendar. */
const openTable = async (
  database: Pick<ReadOnlyDatabase, 'rows'>,
  all: readonly StoreCoverage[],
): Promise<DataTable> => ({
  ...(await partsTable(
    database,
    all.map(one => ({ ...one, parts: one.parts.filter(({ status }) => status !== 'proven') })),
  )),
  title: 'What is not proven, or due again',
  empty: 'Every range of every list is proven. Choose a list to see how each is known.',
})

/** One list of a store around one day: every window that touches it, and how that is known. */
export const showWindow: ShowPage = async (place, request) => {
  const { store = '', stream = '', start = '' } = request.params
  const day = start.slice(0, 10)
  if (!request.stores.includes(store) || findStream(stream) === undefined) return undefined
  if (!/^\d{4}-\d\d-\d\d(T[\d:.]+Z)?$/.test(start) || !isDay(day)) return undefined
  const { database } = place
  const days = { from: day, to: addDays(day, 1) }
  const all = await readCoverage(database, store, [stream], days)
  const { timeZone, parts } = all[0]!
  const status = inWords(dayStatus(all[0]!, day, request.nowMs))
  const mark = reachedMs(standingOf(await database.ledger.standings(store), stream))
  return {
    title: `${stream} of ${store}, ${day}`,
    sentence: `${stream} of ${store} on ${day}: ${status}${mark === undefined || !PROVEN.has(status) ? '' : `; everything is proven up to ${dayOf(mark - 1, timeZone)}`}.`,
    timeZone,
    parts: [
      await partsTable(database, all),
      actionForms(request, [['read-again', { store, stream, from: day, to: day }]]),
      ...parts.map(evidenceOf),
      filterBack(store, stream),
    ],
    command: `tillage coverage ${stream} --store ${store} --from ${day} --to ${addDays(day, 1)} --json`,
  }
}

/** What may be said beside how far everything is proven. */
const PROVEN: ReadonlySet<string> = new Set(['proven', 'stale'])

/** Everything that is written down of a window, as it is. */
const evidenceOf = ({ startMs, endMs, status, evidence }: CoveragePart): Html =>
  html`<section>
    <h2>How do we know: ${toIso(startMs)} to ${toIso(endMs)}, ${status}</h2>
    ${
      evidence === undefined
        ? html`<p>Nobody has read this part of the day.</p>`
        : html`<pre>${JSON.stringify(JSON.parse(evidence), null, 2)}</pre>`
    }
  </section>`

const filterBack = (store: string, stream: string): Html =>
  html`<p class="below">
    <a href="/coverage?store=${encodeURIComponent(store)}&amp;stream=${encodeURIComponent(stream)}"
      >All days of this list</a
    >
  </p>`
