import { describeDuration, toIso, toMinute } from '../../calendar/days.ts'
import { shellWord } from '../../commands/terminal/shell-word.ts'
import { html, NOTHING } from '../../documents/html.ts'
import type { Html } from '../../documents/html.ts'
import { actionForms } from '../actions/form.ts'
import type { FormRequest } from '../actions/form.ts'
import type { CommandRun } from '../actions/run-command.ts'
import type { Page, PageRequest } from '../page.ts'
import type { Cell, DataTable } from '../parts/data-table.ts'
import { link, pathOf } from '../parts/data-table.ts'
import { statusCell } from '../parts/status.ts'

/** What somebody started on a page: how far it is, and what it has said. */
export function commandRunPage(
  run: CommandRun,
  request: FormRequest & Pick<PageRequest, 'nowMs'>,
): Page {
  const { nowMs } = request
  const { title, by, startedMs, endedMs, from } = run
  const said = saidTo(request.person, run)
  const command = commandOf(run)
  const duration = durationOf((endedMs ?? nowMs) - startedMs)
  const took = endedMs === undefined ? `It has taken ${duration} so far.` : `It took ${duration}.`
  return {
    title,
    sentence: `${sentenceOf(run)} ${took}`,
    timeZone: 'UTC',
    parts: [
      thingsOf(`${command} ${said}`),
      ...problemTables(said),
      html`<p>Started ${toMinute(toIso(startedMs))} UTC${by === '' ? '' : ` by ${by}`}.</p>
        <section>
          <h2>What it says</h2>
          <pre>${said === '' ? 'Nothing yet.' : said}</pre>
        </section>`,
      onceMore(run, request),
      from === undefined
        ? NOTHING
        : html`<p class="below"><a href="${from}">Back to where it was started</a></p>`,
    ],
    command,
    ...(run.status === undefined ? { refreshSeconds: 2 } : {}),
  }
}

const saidTo = ({ name = '' }: PageRequest['person'], { by, said, tellsOfPeople }: CommandRun) =>
  tellsOfPeople === true && name !== by ? `It tells who people are, and is for ${by} alone.` : said

const commandOf = ({ args }: CommandRun): string => `tillage ${args.map(shellWord).join(' ')}`

/** Another file, and what was typed beside the wrong one; it leads back to where all began. */
const onceMore = ({ status, form, from }: CommandRun, request: FormRequest): Html =>
  form === undefined || status === undefined || status === 0
    ? NOTHING
    : actionForms({ ...request, address: from ?? request.address }, [[form.action, form.values]])

const durationOf = (ms: number): string =>
  ms < 60_000 ? `${Math.round(ms / 1_000)} s` : describeDuration(ms)

const THING = /\b(?:(PLN?-\d{8}-[0-9a-f]{8})|AUD-\d{8}-\d{4}-[0-9a-f]{6})\b/g

/** The plans and audits that it is about, to go on with. */
function thingsOf(text: string): Html {
  const links = new Map(
    [...text.matchAll(THING)].map(([id, plan]) => [
      id,
      html`<a href="${pathOf(plan === undefined ? 'audits' : 'plans', id)}">${id}</a>`,
    ]),
  )
  return links.size === 0 ? NOTHING : html`<p>Go on with ${[...links.values()]}</p>`
}

/** A line of what is wrong in a file: `counts.csv row 7, counted_qty: ...`. */
const PROBLEM = /^ *(\S.*?) (rows? \d[\d, -]*), (\w+): ([^]*)$/

/** Everything that is wrong in a file, cell by cell; nothing where nothing is. */
function problemTables(said: string): DataTable[] {
  const rows = said.split('\n').flatMap(line => {
    const [, file, row, column, message] = PROBLEM.exec(line) ?? []
    return message === undefined ? [] : [[file!, row!, column!, message]]
  })
  const columns = ['file', 'where', 'column', 'what is wrong'].map(name => ({ name }))
  return rows.length === 0
    ? []
    : [{ id: 'problems', title: 'What is wrong in the file', columns, rows, empty: '' }]
}

function sentenceOf({ status }: CommandRun): string {
  if (status === undefined) return 'It is under way; this page may be closed.'
  if (status === 0) return 'It is done.'
  if (status === 3) return 'It is finished, and something needs somebody.'
  return status === 2 ? 'Nothing was done; why, and what to do, stands below.' : 'It failed.'
}

function standingOf({ status }: CommandRun): Cell {
  if (status === undefined) return statusCell('running')
  if (status === 0) return statusCell('done')
  return status === 3 ? statusCell('late', 'needs somebody') : statusCell('failed')
}

/** Everything that was started on pages since this console began. */
export const commandRunsTable = (runs: readonly CommandRun[]): DataTable => ({
  id: 'started',
  title: 'What was started on these pages',
  columns: [
    { name: 'what' },
    { name: 'stands' },
    { name: 'started (UTC)' },
    { name: 'by' },
    { name: 'command' },
  ],
  rows: runs.map(run => [
    link(pathOf('runs', run.id), run.title),
    standingOf(run),
    toMinute(toIso(run.startedMs)),
    run.by,
    commandOf(run),
  ]),
  empty: 'Nobody has started anything here since the console began.',
})
