import { basename } from 'node:path'
import { givenFiles } from '../../books/given-files.ts'
import { readDays } from '../../books/month.ts'
import type { DayState, MonthDay } from '../../books/month.ts'
import { toMinute, addDays, isDay } from '../../calendar/days.ts'
import { importCell } from '../../commands/books/posted.ts'
import { html } from '../../documents/html.ts'
import type { Html } from '../../documents/html.ts'
import type { TieOutRow } from '../../exports/journal/checks.ts'
import { kindText, memoOf } from '../../exports/journal/entry.ts'
import { givenTieOuts } from '../../exports/journal/held.ts'
import { postingHistoryOf } from '../../exports/posting-history.ts'
import type { PostedEntry } from '../../exports/posting-history.ts'
import { givenChanges } from '../../exports/revisions/given-changes.ts'
import type { GivenChange } from '../../exports/revisions/given-changes.ts'
import { newestManifest } from '../../exports/revisions/manifest.ts'
import { amountText } from '../../money/amount.ts'
import { describeUnposted } from '../../standing/describe-unposted.ts'
import { actionForms } from '../actions/form.ts'
import { isOfNobody } from '../given-files.ts'
import type { ShowPage } from '../page.ts'
import { link, pathOf } from '../parts/data-table.ts'
import type { DataTable } from '../parts/data-table.ts'
import { factList } from '../parts/facts.ts'
import { statusCell } from '../parts/status.ts'
import type { Status } from '../parts/status.ts'

/** A business day: how it stands, its checks, its journal, what revisions changed, its files. */
export const showDay: ShowPage = async (place, request) => {
  const { store = '', day = '' } = request.params
  if (!request.stores.includes(store) || !isDay(day)) return undefined
  const history = postingHistoryOf(place.database.givenOut)
  const days = { from: day, to: addDays(day, 1) }
  const month = await readDays({ ...place, history }, store, days)
  const entries = (await history.posted(store, day)) ?? []
  const one = month.days[0]!
  const { exports } = place.config
  const range = { store, days }
  const files = await givenFiles(place.database.givenOut, place.config, {
    store,
    day,
    withoutBucket: true,
  })
  return {
    title: `${store}, ${day}`,
    sentence: daySentence(store, one),
    timeZone: await place.database.zoneOfRows(store),
    parts: [
      factList('How it stands', [
        ['state', one.state],
        ['journal', one.journal ?? 'none'],
        ['currency', month.currency],
        ['imported', importCell(one, month) || 'nobody has said so'],
        ['keeps the month open', one.obstacle === undefined ? 'no' : `it ${one.obstacle}`],
      ]),
      tieOutsTable(givenTieOuts(newestManifest(exports, range))),
      changesTable(givenChanges(exports, range)),
      ...entries.map(entry => entryTable(entry)),
      filesTable(files.filter(file => file.store === store && file.from === day)),
      actionForms(request, actionsOf(store, one)),
      neighbours(store, day),
    ],
    command: `tillage journal --store ${store} --date ${day} --dry-run`,
  }
}

/** Days are read one after the other. */
const neighbours = (store: string, day: string): Html =>
  html`<p class="below">
    ${[-1, 1].map(step => {
      const other = addDays(day, step)
      return html`<a href="${pathOf('books', store, other)}">${other}</a> · `
    })}
    <a href="/books?${new URLSearchParams({ month: day.slice(0, 7), store }).toString()}"
      >The month of ${store}</a
    >
  </p>`

/** Each revision of a journal is imported by itself. */
const actionsOf = (store: string, { day, imports }: MonthDay) => [
  ...['export-day', 'write-journal'].map(name => [name, { store, day }] as const),
  ...imports.map(
    ({ revision, posted }) =>
      [
        posted === null ? 'say-posted' : 'say-not-posted',
        { store, day, revision: String(revision) },
      ] as const,
  ),
]

function daySentence(store: string, one: MonthDay): string {
  if (one.unposted !== undefined) return `${store}: ${describeUnposted(one.unposted)}`
  if (one.heldBy !== undefined) return `${store}: ${one.day} is held back: ${one.heldBy.why}.`
  const words: Readonly<Partial<Record<DayState, string>>> = {
    open: 'is not over yet',
    proven: 'is proven, and not given out yet',
    exported: 'is given out, and has no journal yet',
    booked: `is booked as ${one.journal ?? 'a journal without entries'}`,
    closed: `is booked as ${one.journal ?? 'a journal without entries'}, and its month is closed`,
    missed: 'is not proven',
    elsewhere: 'was booked by others, before anything was given out here',
  }
  return `${one.day} at ${store} ${words[one.state] ?? one.state}.`
}

const entryTable = (entry: PostedEntry): DataTable => ({
  id: `entry-${entry.number.toLowerCase()}`,
  title: `${kindText(entry)}${entry.number}, dated ${entry.date}${entry.note === undefined ? '' : ` (${entry.note})`}`,
  columns: [
    { name: 'account' },
    { name: 'memo' },
    { name: 'debit', kind: 'number' },
    { name: 'credit', kind: 'number' },
  ],
  rows: entry.lines.map(line => [
    line.account.code,
    memoOf(line),
    line.amount > 0n ? amountText(line.amount) : '',
    line.amount < 0n ? amountText(-line.amount) : '',
  ]),
  empty: 'The entry has no lines.',
})

type Listed = Awaited<ReturnType<typeof givenFiles>>[number]

function standingOf({ gone, elsewhere, current }: Listed): string {
  if (elsewhere) return 'in another bucket'
  if (gone) return 'not on the disk'
  return current ? 'current' : 'replaced'
}

const filesTable = (files: readonly Listed[]): DataTable => ({
  id: 'files',
  title: 'Files that were given out',
  columns: [
    { name: 'dataset' },
    { name: 'format' },
    { name: 'revision' },
    { name: 'to (exclusive)' },
    { name: 'rows', kind: 'number' },
    { name: 'now' },
    { name: 'sha256', kind: 'id' },
    { name: 'file', kind: 'id' },
  ],
  rows: files.map(file => [
    file.dataset,
    file.format,
    `r${file.revision}`,
    file.to,
    file.rows,
    standingOf(file),
    file.sha256,
    !file.gone && !file.elsewhere && isOfNobody(file)
      ? link(
          pathOf('books', file.store, file.from, 'files', basename(file.path)),
          basename(file.path),
        )
      : file.path,
  ]),
  empty: 'Nothing was given out of this day yet.',
})

const CHECK_STATUS: Readonly<Record<TieOutRow['status'], Status>> = {
  ok: 'proven',
  failed: 'failed',
  suspense: 'late',
  accepted: 'late',
  incomplete: 'late',
}

const tieOutsTable = (rows: readonly TieOutRow[]): DataTable => ({
  id: 'tie-outs',
  title: 'Does it tie out?',
  columns: [
    { name: 'check' },
    { name: 'should be', kind: 'number' },
    { name: 'is', kind: 'number' },
    { name: 'differs by', kind: 'number' },
    { name: 'stands' },
  ],
  rows: rows.map(({ check, expected, actual, delta, status }) => [
    check,
    expected,
    actual,
    delta,
    statusCell(CHECK_STATUS[status], status),
  ]),
  empty: 'Nothing was checked yet: the journal of a day comes with its checks.',
})

/** What was given out first, and what a later revision has instead, beside each other. */
const changesTable = (changes: readonly GivenChange[]): DataTable => ({
  id: 'changes',
  title: 'Revisions side by side',
  columns: [
    { name: 'transaction', kind: 'id' },
    { name: 'field' },
    { name: 'before' },
    { name: 'after' },
    { name: 'revisions' },
    { name: 'edits known until (UTC)' },
    { name: 'dated in' },
  ],
  rows: changes.map(one => [
    one.transaction_id,
    one.field,
    one.old,
    one.new,
    `r${one.from_rev} to r${one.to_rev}`,
    toMinute(one.detected_at),
    one.posting === 'original' ? 'the day itself' : 'the current period',
  ]),
  empty: 'No revision has changed what was given out of this day.',
})
