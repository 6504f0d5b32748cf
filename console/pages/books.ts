import { leavesBooksOpen, readMonth } from '../../books/month.ts'
import type { DayState, MonthDay, StoreMonth } from '../../books/month.ts'
import { closedMonths } from '../../books/periods.ts'
import { dayOf } from '../../calendar/clock.ts'
import { remediesOf } from '../../commands/books/describe-month.ts'
import { describePeriodEvent } from '../../commands/books/period-events.ts'
import { importCell } from '../../commands/books/posted.ts'
import { countOf } from '../../commands/terminal/number.ts'
import { html, NOTHING } from '../../documents/html.ts'
import type { Html } from '../../documents/html.ts'
import { postingHistoryOf } from '../../exports/posting-history.ts'
import { actionForms } from '../actions/form.ts'
import type { Wanted } from '../actions/of-plan.ts'
import type { PagePlace, ShowPage } from '../page.ts'
import { chosenMonth, chosenStores, storeFilter } from '../parts/chosen.ts'
import { link, pathOf } from '../parts/data-table.ts'
import type { DataTable } from '../parts/data-table.ts'
import { filterForm } from '../parts/filter-form.ts'
import { statusCell } from '../parts/status.ts'
import type { Status } from '../parts/status.ts'
import { commonZone } from '../parts/zone.ts'

/** A month of every store, day by day: read, given out, booked, changed since. */
export const showBooks: ShowPage = async (place, request) => {
  const { nowMs } = request
  const { named, stores } = chosenStores(request)
  const zones = await zonesOf(place, stores)
  const timeZone = commonZone(zones)
  const month = chosenMonth(request) ?? dayOf(nowMs, timeZone).slice(0, 7)
  const history = postingHistoryOf(place.database.givenOut)
  const months: StoreMonth[] = []
  for (const store of stores) months.push(await readMonth({ ...place, history }, store, month))
  const remedies = months.flatMap(one => remediesOf(one, place.config))
  return {
    title: `Books, ${month}`,
    sentence: sentenceOf(month, months),
    timeZone,
    parts: [
      filterForm('/books', [
        { name: 'month', label: 'Month', value: month, type: 'month' },
        storeFilter(request, named),
      ]),
      remedies.length === 0 ? NOTHING : thingsToDo(remedies),
      daysTable(months),
      historyOf(months),
      actionForms(request, [
        ...missingDays(months, named),
        ...(months.every(isClosed) ? [] : [['close-month', { month, store: named }] as const]),
        ...(months.some(isClosed) ? [['reopen-month', { month, store: named }] as const] : []),
      ]),
    ],
    command: `tillage books ${month}${named === '' ? '' : ` --store ${named}`}`,
  }
}

function sentenceOf(month: string, months: readonly StoreMonth[]): string {
  const days = months.flatMap(one => one.days.filter(({ begun }) => begun))
  const open = days.filter(leavesBooksOpen)
  if (days.length === 0) return `${month} has not begun.`
  if (open.length === 0)
    return `Every day of ${month} that is over is booked at ${months.length === 1 ? months[0]!.store : `all ${months.length} stores`}.`
  const stores = new Set(
    months.filter(one => one.days.some(day => open.includes(day))).map(({ store }) => store),
  )
  return `${countOf(open.length, 'day')} of ${month} ${open.length === 1 ? 'is' : 'are'} not in the books, at ${[...stores].slice(0, 3).join(', ')}${stores.size > 3 ? ' and others' : ''}.`
}

/** From the first day that is over and not in the books to the last. */
function missingDays(months: readonly StoreMonth[], store: string): Wanted {
  const days = months
    .flatMap(one => one.days.filter(leavesBooksOpen))
    .map(({ day }) => day)
    .toSorted()
  const [from = '', to = from] = [days[0], days.at(-1)]
  return from === '' ? [] : [['write-journals', { store, from, to }]]
}

const isClosed = ({ events }: StoreMonth): boolean => closedMonths(events).length > 0

/** Who closed the month, and who opened it again. */
function historyOf(months: readonly StoreMonth[]): Html {
  const events = months.flatMap(one => one.events)
  if (events.length === 0) return NOTHING
  return html`<section>
    <h2>Closed, and opened again</h2>
    <ul class="things">
      ${events.map(one => html`<li>${describePeriodEvent(one)}</li>`)}
    </ul>
  </section>`
}

const thingsToDo = (lines: readonly string[]): Html =>
  html`<section>
    <h2>What is missing</h2>
    <ul class="things">
      ${lines.map(line => html`<li>${line}</li>`)}
    </ul>
  </section>`

const STATUS_OF: Readonly<Record<DayState, Status>> = {
  open: 'not due',
  proven: 'late',
  exported: 'late',
  booked: 'done',
  changed: 'late',
  held: 'failed',
  missed: 'unproven',
  closed: 'done',
  elsewhere: 'not due',
}

const daysTable = (months: readonly StoreMonth[]): DataTable => ({
  id: 'days',
  title: 'Day by day',
  columns: [
    { name: 'store' },
    { name: 'day' },
    { name: 'state' },
    { name: 'revision' },
    { name: 'journal' },
    { name: 'balanced' },
    { name: 'restated', kind: 'number' },
    { name: 'not posted', kind: 'number' },
    { name: 'currency' },
    { name: 'imported' },
  ],
  rows: months.flatMap(month =>
    month.days
      .filter(({ begun }) => begun)
      .map(day => [
        month.store,
        link(pathOf('books', month.store, day.day), day.day),
        statusCell(STATUS_OF[day.state], day.state),
        day.revision === null ? '' : `r${day.revision}`,
        day.journal ?? '',
        balancedText(day),
        day.restated.lines === 0 ? '' : day.restated.amount,
        day.unposted?.amount ?? '',
        month.currency,
        importCell(day, month),
      ]),
  ),
  empty: 'No day of this month has begun.',
})

function balancedText({ balanced }: MonthDay): string {
  if (balanced === null) return ''
  return balanced ? 'yes' : 'NO'
}

const zonesOf = async (
  place: PagePlace,
  stores: readonly string[],
): Promise<{ timeZone: string }[]> => {
  const zones: { timeZone: string }[] = []
  for (const store of stores) zones.push({ timeZone: await place.database.zoneOfRows(store) })
  return zones
}
