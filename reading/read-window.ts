import pLimit from 'p-limit'
import { freeBytes } from '../connectors/cells.ts'
import type { FindingCode } from '../connectors/findings.ts'
import type { Endpoint } from '../connectors/partner/endpoint.ts'
import { pageBytes } from '../connectors/partner/read-page.ts'
import type { Page } from '../connectors/partner/read-page.ts'
import { pathSegment } from '../connectors/partner/request.ts'
import type { OffsetParameter, Stream } from '../connectors/stream.ts'
import { PartnerError, TillageError } from '../errors.ts'
import type { ListContext, ReadContext } from './context.ts'
import { beginWithFewer } from './fewer-rows.ts'
import { MAX_FAILURES, mayContinueAfter, readPass, startPass } from './paginate.ts'
import { judge, repeatsWholeList } from './prove.ts'
import type { Pass, SeenPage } from './prove.ts'
import { awaitPages, handOverPage, requestPage, startReading, watchAnswer } from './reading.ts'
import type { FinalVerdict, ListAddress, Reading } from './reading.ts'
import { WINDOW_LIMITS, refuseBeyond, startUse } from './window-limits.ts'

/** The API's dates do not look at `modified`: windows are proven by what the API filters by. */
export const FILTERS_BY_ANOTHER_TIME = 'filters_by_another_time' satisfies FindingCode

const turnOfPage = createTurns()

/**
 * Reads passes until the proof is satisfied or gives up. Throws what stopped it; call again with
 * the same reading.
 */
export async function readWindow(
  context: ListContext,
  reading: Reading,
  list: ListAddress = { path: context.endpoint.stream.path, query: {} },
): Promise<FinalVerdict> {
  for (;;) {
    const pass = await readOnePass(context, reading, list)
    if (pass === undefined) continue
    reading.passes.push(pass)
    const verdict = judge(reading.passes)
    if (verdict.status === 'again') continue
    for (const code of verdict.findings) reading.findings.set(code, describeFinding(code, reading))
    return verdict
  }
}

/** One pass; undefined where it only showed that the list has to be asked for in another way. */
async function readOnePass(
  context: ListContext,
  reading: Reading,
  list: ListAddress,
): Promise<Pass | undefined> {
  const { endpoint } = context
  const { stream, concurrency, offsetParameter } = endpoint
  if (reading.current === undefined) {
    reading.current = startPass()
    reading.use = startUse()
    reading.limit = endpoint.pageLimit
  }
  const limit = reading.limit ?? stream.pageCap
  const ask = (offset: number): Promise<SeenPage> => askForPage(context, reading, list, offset)
  const read = await readPass(reading.current, ask, { concurrency, limit }).catch(
    (error: unknown) => beginWithFewer(context, reading, list, error),
  )
  if (read === undefined) return undefined
  const pass: Pass = {
    ...read,
    complete: stream.answers !== undefined,
    withoutIds: stream.key !== undefined && context.keepsTwins !== true,
  }
  await awaitPages(reading)
  reading.current = undefined
  if (pass.trouble === 'offset_ignored' && !repeatsWholeList(pass))
    return tryOtherOffset(context, reading, offsetParameter) ? undefined : pass
  // The list had moved, so the documented name works after all.
  if (offsetParameter === stream.offset) reading.findings.delete('offset_parameter')
  return pass
}

async function askForPage(
  context: ListContext,
  reading: Reading,
  list: ListAddress,
  offset: number,
): Promise<SeenPage> {
  const { endpoint, wire } = context
  const { stream } = endpoint
  const limit = reading.limit ?? stream.pageCap
  const answer = await requestPage(context, reading, list, { offset, limit })
  await turnOfPage()
  const page = endpoint.readPage(answer, wire.widest)
  if (page.text.json !== answer) freeBytes(answer)
  if (page.walked !== undefined)
    watchAnswer(reading.watch, page.walked, position => page.rows[position]?.id ?? '')
  pinEnvelope(endpoint, reading, page)
  reading.hasCursor ||= page.hasCursor
  noteSize(reading, page, limit)
  noteFilter(reading, page)
  noteText(reading, page)
  countPage(context, reading, page)
  await handOverPage(context, reading, page)
  return { offset, rows: page.rows, total: page.total }
}

/** Before it is kept: what is too much takes no disk. */
function countPage(
  { limits, startedMs = performance.now() }: ListContext,
  { use, earlierMs }: Reading,
  page: Page,
): void {
  use.pages++
  use.rows += page.rows.length
  use.bytes += pageBytes(page)
  if (page.total !== null) use.totals = { first: use.totals?.first ?? page.total, last: page.total }
  const elapsedMs = earlierMs + performance.now() - startedMs
  refuseBeyond({ ...use, elapsedMs }, { ...WINDOW_LIMITS, ...limits })
}

/**
 * The other documented name may be the one that this server knows; the next pass tries it. Another
 * window may have found that out meanwhile, and must not be undone. False: it was tried before.
 */
function tryOtherOffset(
  { endpoint }: Pick<ListContext, 'endpoint'>,
  reading: Reading,
  asked: OffsetParameter,
): boolean {
  const other = (name: OffsetParameter): OffsetParameter => (name === 'skip' ? 'start' : 'skip')
  const documented = endpoint.stream.offset
  const wasTried = reading.findings.has('offset_parameter')
  const cursor = reading.hasCursor ? '; its answers carry a cursor, which is not followed' : ''
  const tried = `ignores ${documented}; tried ${other(documented)}${cursor}`
  reading.findings.set('offset_parameter', tried)
  endpoint.offsetParameter = other(asked)
  return !wasTried
}

/**
 * One envelope in a window, and for all windows of the list. One that changes costs the window that
 * meets it; which of the two is odd is not known, so the next window pins anew.
 */
function pinEnvelope(endpoint: Endpoint, reading: Reading, { envelope }: Page): void {
  if (envelope === undefined) return
  const before = [reading.envelope, endpoint.envelope].find(
    pinned => pinned !== undefined && pinned !== envelope,
  )
  reading.envelope ??= envelope
  endpoint.envelope = before === undefined ? envelope : undefined
  if (before === undefined) return
  throw new TillageError(
    'PARTNER_ENVELOPE',
    `${endpoint.stream.path} answered as ${envelope}, and as ${before} before`,
    {
      remedy:
        'An envelope that changes is not trusted: ' +
        'this window stays unproven until it is read again. Run the same command again.',
    },
  )
}

function noteSize(reading: Reading, { rows, total }: Page, limit: number): void {
  if (rows.length > limit)
    reading.findings.set('page_over_limit', `asked for ${limit} rows, got ${rows.length}`)
  const isFirst = reading.staged.length === 0 && !reading.findings.has('page_cap')
  const isShort = total !== null && rows.length > 1 && rows.length < Math.min(limit, total)
  if (isFirst && isShort)
    reading.findings.set('page_cap', `asked for ${limit} rows, got ${rows.length} of ${total}`)
}

function noteText({ findings }: Reading, { isUnreadable, rows }: Page): void {
  if (isUnreadable)
    findings.set('text_unreadable', `a page of ${rows.length} rows holds bytes that are not UTF-8`)
}

function noteFilter(reading: Reading, page: Page): void {
  reading.byModifiedAlone += page.byModifiedAlone
  if (page.byAnotherTime > 0)
    reading.findings.set(
      FILTERS_BY_ANOTHER_TIME,
      `${page.byAnotherTime} of ${page.rows.length} rows of a page ` +
        'were not modified in the asked dates: the API filters by another time, ' +
        'so edits of older records arrive only with --again',
    )
}

function describeFinding(code: FindingCode, reading: Reading): string {
  const { pages } = reading.passes.at(-1)!
  const rows = pages.flatMap(page => page.rows)
  if (code === 'outside_window')
    return (
      `${rows.filter(row => !row.inside).length} rows lie outside the asked dates ` +
      'by every time that they carry'
    )
  if (code === 'offset_ignored') return 'each offset is answered with the first page'
  const totals = [...new Set(pages.map(page => page.total))].slice(0, 5).join(', ')
  const distinct = new Set(rows.map(({ id }) => id)).size
  return (
    `${distinct} distinct rows over ${pages.length} pages in pass ${reading.passes.length}, ` +
    `total ${totals === '' ? 'not given' : totals}`
  )
}

/**
 * One piece of work in each turn of the event loop: between two of them, what came over the network
 * is read and what waits for a slot is sent. Several answers that come at once would else be looked
 * at in one go, and all that came meanwhile would wait for that, and the slots with it.
 */
export function createTurns(): () => Promise<void> {
  let last = Promise.resolve()
  const nextTurn = (): Promise<void> => new Promise(resolve => void setImmediate(resolve))
  return () => (last = last.then(nextTurn))
}

/** The governor decides how many requests are under way; this only keeps it busy. */
const LISTS_AT_ONCE = 4

/** Reads a window of a stream: its one list, or one for each value of its parent. */
export async function readLists(context: ReadContext, reading: Reading): Promise<FinalVerdict> {
  const { parent } = context.stream
  if (parent === undefined) return readWindow(context, reading)
  const values = await context.destination.rows.parentValues(context.store, parent)
  return readListOfEach(context, reading, values)
}

/**
 * Reads a list that exists once for each value, and judges them as one: proven only if each of them
 * is. Lists that were read stay read when another list fails: the next attempt reads what is
 * missing.
 */
export async function readListOfEach(
  context: ListContext,
  reading: Reading,
  values: readonly string[],
): Promise<FinalVerdict> {
  const slots = pLimit(LISTS_AT_ONCE)
  const failures: unknown[] = []
  let failuresInARow = 0
  const readNext = async (value: string): Promise<void> => {
    if (failuresInARow >= MAX_FAILURES) return
    try {
      await readListOf(context, reading, value)
      if (failuresInARow < MAX_FAILURES) failuresInARow = 0
    } catch (error) {
      failures.push(error)
      // A list that is refused says nothing of the next one; a refused key and an API that is gone
      // do.
      if (!isOfOneList(error)) failuresInARow += mayContinueAfter(error) ? 1 : MAX_FAILURES
    }
  }
  const left = values.filter(value => !reading.lists.has(value))
  await Promise.all(left.map(value => slots(readNext, value)))
  if (failures.length > 0) throw failures.find(error => !isOfOneList(error)) ?? failures[0]
  return judgeTogether([...reading.lists.values()])
}

function judgeTogether(verdicts: readonly FinalVerdict[]): FinalVerdict {
  const unproven = verdicts.find(({ status }) => status === 'unproven')
  if (unproven !== undefined) return unproven
  const rules = new Set(
    verdicts.flatMap(verdict => (verdict.status === 'proven' ? [verdict.by] : [])),
  )
  const named = rules.size === 0 ? '' : `: ${[...rules].join('; ')}`
  return { status: 'proven', by: `each of ${verdicts.length} lists${named}`, findings: [] }
}

const isOfOneList = (error: unknown): boolean =>
  error instanceof TillageError && error.recovery === 'park' && error.code !== 'WINDOW_TOO_LARGE'

async function readListOf(context: ListContext, reading: Reading, value: string): Promise<void> {
  const { begunMs, staged, keeping, findings, facts, watch, earlierMs } = reading
  const shared = { begunMs, staged, keeping, findings, facts, watch, earlierMs }
  const part: Reading = { ...startReading(reading.id), ...shared }
  try {
    const verdict = await readWindow(context, part, addressOf(context.endpoint.stream, value))
    reading.lists.set(value, verdict)
    reading.passes.push(...part.passes.slice(-1))
    reading.envelope = part.envelope ?? reading.envelope
  } finally {
    reading.requests += part.requests
  }
}

/** Where the value goes: into the path, or into a parameter. */
function addressOf({ path, parent }: Stream, value: string): ListAddress {
  if (parent?.parameter !== undefined) return { path, query: { [parent.parameter]: value } }
  const segment = pathSegment(value)
  if (segment === undefined)
    throw new PartnerError(
      'PARTNER_REFUSED',
      `GET ${path} was not asked for one of the ${parent?.stream}: its id is nothing but dots, ` +
        'so that the address would be another',
    )
  return { path: path.replace(/\{\w+\}/, segment), query: {} }
}
