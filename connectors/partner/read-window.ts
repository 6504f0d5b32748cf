import type { Interval } from '../../calendar/interval.ts'
import type { WireRange } from '../../calendar/windows.ts'
import { TillageError } from '../../errors.ts'
import type { OffsetParameter, Stream } from '../stream.ts'
import type { PartnerClient } from './client.ts'
import type { Governor } from './governor.ts'
import { readPass, startPass } from './paginate.ts'
import type { PassUnderWay } from './paginate.ts'
import { judge, repeatsWholeList } from './prove.ts'
import type { Pass, SeenPage, Verdict } from './prove.ts'
import type { Page, SeenRow } from './read-page.ts'
import { startWatch, watchAnswer } from './shape-watch.ts'
import type { ShapeWatch } from './shape-watch.ts'

/**
 * One list endpoint of one store, with what was learned of it. Shared by all windows of the stream.
 */
export interface Endpoint {
  stream: Stream
  client: PartnerClient
  governor: Governor
  lanes: number
  readPage: (body: Buffer, inside: Interval) => Page
  /** `start` or `skip`: the documented one, until the server is seen to ignore it. */
  offsetParameter: OffsetParameter
  /** Pinned once seen; a change is an error (INV-4). */
  envelope: string | undefined
}

/** Keeps the bytes of a page until the window is judged. */
export type StagePage = (page: {
  page: number
  listPath: string
  rows: number
  body: Buffer
}) => Promise<void>

/**
 * What was read of one window so far. It survives a failed attempt, so the next one asks only for
 * what is missing.
 */
export interface Reading {
  /** Under this its pages are staged; no two readings share one, not even of the same window. */
  id: string
  passes: Pass[]
  current: PassUnderWay | undefined
  /** The rows of each staged page, in the order in which pages arrived. */
  staged: (readonly SeenRow[])[]
  requests: number
  findings: Map<string, string>
  /** Rows that the server can only have listed by their `modified`. */
  byModifiedAlone: number
  /** Fields and kinds of all records that came. */
  watch: ShapeWatch
  /** Attempts in which the API failed when it was asked for single records. */
  failedLookups: number
  /** Of a stream that has one list for each value: what was judged already. */
  lists: Map<string, Exclude<Verdict, { status: 'again' }>>
}

/** Which list of an endpoint: most have one. */
export interface Scope {
  path: string
  query: Readonly<Record<string, string>>
}

/** The API's dates do not look at `modified`: windows are proven by what the API filters by. */
export const FILTERS_BY_ANOTHER_TIME = 'filters_by_another_time'

export const startReading = (id: string): Reading => ({
  id,
  passes: [],
  current: undefined,
  staged: [],
  requests: 0,
  findings: new Map(),
  byModifiedAlone: 0,
  watch: startWatch(),
  failedLookups: 0,
  lists: new Map(),
})

/**
 * Keeps a page. It counts only once it is kept: a full disk must not leave rows behind that are in
 * no table.
 */
export async function stagePage(
  reading: Reading,
  { rows, listPath, body }: Page,
  stage: StagePage,
): Promise<void> {
  const page = reading.staged.push([]) - 1
  await stage({ page, listPath, rows: rows.length, body })
  reading.staged[page] = rows
}

/**
 * Reads passes until the proof is satisfied or gives up. Throws what stopped it; call again with
 * the same reading.
 */
export async function readWindow(
  reading: Reading,
  endpoint: Endpoint,
  wire: WireRange,
  stage: StagePage,
  signal: AbortSignal,
  scope: Scope = { path: endpoint.stream.path, query: {} },
): Promise<Exclude<Verdict, { status: 'again' }>> {
  const limit = endpoint.stream.pageCap
  const ask = async (offset: number): Promise<SeenPage> => {
    const query = {
      ...wire.query,
      [endpoint.offsetParameter]: String(offset),
      limit: String(limit),
    }
    const page = await endpoint.governor.run(async () => {
      reading.requests++
      const answer = await endpoint.client.get(scope.path, { ...scope.query, ...query }, signal, {
        path: endpoint.stream.path,
        query,
      })
      const taken = endpoint.readPage(answer, wire.widest)
      watchAnswer(reading.watch, answer, taken.listPath)
      return taken
    })
    pinEnvelope(endpoint, page)
    noteSize(reading, page, limit)
    reading.byModifiedAlone += page.byModifiedAlone
    if (page.byAnotherTime > 0)
      reading.findings.set(
        FILTERS_BY_ANOTHER_TIME,
        `${page.byAnotherTime} of ${page.rows.length} rows of a page were not modified in the asked dates: the API filters by another time, so edits of older records arrive only with --again`,
      )
    await stagePage(reading, page, stage)
    return { offset, rows: page.rows, total: page.total }
  }

  for (;;) {
    reading.current ??= startPass()
    const asked = endpoint.offsetParameter
    const pass: Pass = {
      ...(await readPass(reading.current, ask, endpoint.lanes, limit)),
      complete: endpoint.stream.answers !== undefined,
      keyed: endpoint.stream.key !== undefined,
    }
    reading.current = undefined
    if (pass.trouble === 'offset_ignored' && !repeatsWholeList(pass)) {
      // The other documented name may be the one that this server knows; the next pass tries it.
      // Another window may have found that out meanwhile, and must not be undone.
      const other: OffsetParameter = asked === 'skip' ? 'start' : 'skip'
      const known = reading.findings.has('offset_parameter')
      reading.findings.set(
        'offset_parameter',
        `ignores ${endpoint.stream.offset}; tried ${endpoint.stream.offset === 'skip' ? 'start' : 'skip'}`,
      )
      endpoint.offsetParameter = other
      if (!known) continue
    } else if (asked === endpoint.stream.offset) {
      // It was the list that moved: the documented name works after all.
      reading.findings.delete('offset_parameter')
    }
    reading.passes.push(pass)
    const verdict = judge(reading.passes)
    if (verdict.status === 'again') continue
    for (const code of verdict.findings) reading.findings.set(code, describe(code, reading))
    return verdict
  }
}

function pinEnvelope(endpoint: Endpoint, page: Page): void {
  endpoint.envelope ??= page.envelope
  if (endpoint.envelope === page.envelope) return
  throw new TillageError(
    'PARTNER_ENVELOPE',
    `${endpoint.stream.path} answered as ${page.envelope}, and as ${endpoint.envelope} before`,
    {
      remedy:
        'An envelope that changes during a run is not trusted; the window stays unproven until the API settles on one.',
    },
  )
}

function noteSize(reading: Reading, page: Page, limit: number): void {
  if (page.rows.length > limit)
    reading.findings.set('page_over_limit', `asked for ${limit} rows, got ${page.rows.length}`)
  else if (
    page.total !== null &&
    page.rows.length > 1 &&
    page.rows.length < Math.min(limit, page.total) &&
    !reading.findings.has('page_cap') &&
    reading.staged.length === 0
  ) {
    reading.findings.set(
      'page_cap',
      `asked for ${limit} rows, got ${page.rows.length} of ${page.total}`,
    )
  }
}

function describe(code: string, reading: Reading): string {
  const last = reading.passes.at(-1)!
  const totals = [...new Set(last.pages.map(page => page.total))].slice(0, 5).join(', ')
  const rows = new Set(last.pages.flatMap(page => page.rows.map(row => row.id))).size
  switch (code) {
    case 'outside_window':
      return `${last.pages.flatMap(page => page.rows).filter(row => !row.inside).length} rows lie outside the asked dates by every time that they carry`
    case 'offset_ignored':
      return 'each offset is answered with the first page'
    default:
      return `${rows} distinct rows over ${last.pages.length} pages in pass ${reading.passes.length}, total ${totals === '' ? 'not given' : totals}`
  }
}

/**
 * Which staged rows lose against another copy: the newest `modified` wins, at equal times what was
 * read last.
 */
export function supersededRows(staged: readonly (readonly Pick<SeenRow, 'id' | 'modified'>[])[]): {
  superseded: Record<number, number[]>
  distinct: number
  rows: number
} {
  const winners = new Map<string, { page: number; position: number; modified: number }>()
  const superseded: Record<number, number[]> = {}
  let rows = 0
  staged.forEach((page, number) => {
    page.forEach(({ id, modified }, position) => {
      rows++
      const rival = winners.get(id)
      const mine = { page: number, position, modified: modified ?? 0 }
      const loser = rival === undefined ? undefined : rival.modified > mine.modified ? mine : rival
      if (loser !== undefined) (superseded[loser.page] ??= []).push(loser.position)
      if (loser !== mine) winners.set(id, mine)
    })
  })
  return { superseded, distinct: winners.size, rows }
}

/**
 * What the ledger keeps as evidence, besides the verdict: of the pass that was judged, where a
 * stream has many lists of all of theirs.
 */
export function evidenceOf(
  reading: Reading,
  endpoint: Endpoint,
  wire: WireRange,
): Record<string, unknown> {
  const judged = endpoint.stream.parent === undefined ? reading.passes.slice(-1) : reading.passes
  const totals = judged.map(({ pages }) => pages.at(-1)?.total ?? null)
  return {
    passes: reading.passes.length,
    requests: reading.requests,
    pages: judged.reduce((sum, { pages }) => sum + pages.length, 0),
    rows: new Set(
      judged.flatMap(({ pages }) => pages.flatMap(({ rows }) => rows.map(({ id }) => id))),
    ).size,
    total:
      totals.length === 0 || totals.includes(null)
        ? null
        : totals.reduce<number>((sum, total) => sum + total!, 0),
    asked: { ...wire.query, offset: endpoint.offsetParameter },
    envelope: endpoint.envelope ?? null,
  }
}
