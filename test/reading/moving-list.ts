import { PartnerError } from '../../errors.ts'
import { readPass, startPass } from '../../reading/paginate.ts'
import { MAX_PASSES } from '../../reading/prove.ts'
import type { Pass, SeenPage, Verdict } from '../../reading/prove.ts'

/** Rows of a list that moves, as an API holds them: `place` orders a list that has no order. */
interface Row {
  id: string
  modified: number
  created: number
  place: number
}

export const ORDERS = {
  'modified descending': (a: Row, b: Row) => b.modified - a.modified || (a.id < b.id ? -1 : 1),
  'modified ascending': (a: Row, b: Row) => a.modified - b.modified || (a.id < b.id ? -1 : 1),
  'id ascending': (a: Row, b: Row) => (a.id < b.id ? -1 : 1),
  'id descending': (a: Row, b: Row) => (a.id < b.id ? 1 : -1),
  'created descending': (a: Row, b: Row) => b.created - a.created || (a.id < b.id ? -1 : 1),
  unsorted: (a: Row, b: Row) => a.place - b.place,
} as const

export type Order = keyof typeof ORDERS
export const orders = Object.keys(ORDERS) as Order[]
export const stableOrders = orders.filter(order => order !== 'unsorted')

/**
 * One random schedule; the seed decides every insert, edit, delete and delay, so a failure can be
 * played again.
 */
export interface Schedule {
  seed: number
  order: Order
  rows: number
  cap: number
  concurrency: number
  /** Whether the answers tell a total. */
  total: boolean
  /** How often something happens between two requests, 0 to 1. */
  busy: number
  /**
   * Shares of inserts and edits; half of what is left are deletes, half are edits that move a row
   * out of the window.
   */
  inserts: number
  edits: number
  /** How often a request fails, so that the attempt ends and another one goes on with the pass. */
  failures: number
  /** Ids in the order of creation, or all over the place. */
  randomIds: boolean
}

export interface Outcome {
  verdict: Exclude<Verdict, { status: 'again' }>
  passes: Pass[]
  requests: number
  /** Most rows that the list ever held. */
  most: number
  /** Rows that were in the list throughout the last pass and that no page of it shows. */
  lost: string[]
}

/** Small, fast and repeatable (mulberry32). */
export function createRandom(seed: number): {
  share: () => number
  int: (from: number, to: number) => number
} {
  let state = seed >>> 0
  const share = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  return { share, int: (from, to) => from + Math.floor(share() * (to - from + 1)) }
}

/**
 * A frantic list grows faster than pages of two rows can follow it; so many changes and it calms
 * down.
 */
const MOST_CHANGES = 120

/**
 * Plays one schedule against the real paginator, judged by `judgeLike`, until it is proven or given
 * up.
 */
export async function play(
  schedule: Schedule,
  judgeLike: (passes: readonly Pass[]) => Verdict,
): Promise<Outcome> {
  const { share, int } = createRandom(schedule.seed)
  const rows = new Map<string, Row>()
  let clock = 1000
  let born = 0
  let changes = 0
  let most = 0
  let present = new Set<string>()

  const insert = (): void => {
    const number = ++born
    const id = String(schedule.randomIds ? Math.floor(share() * 1e9) : number).padStart(9, '0')
    if (!rows.has(id)) rows.set(id, { id, modified: ++clock, created: clock, place: share() })
    most = Math.max(most, rows.size)
  }
  const change = (): void => {
    const what = share()
    const keys = [...rows.keys()]
    changes++
    if (what < schedule.inserts || keys.length === 0) return insert()
    const row = rows.get(keys[int(0, keys.length - 1)]!)!
    if (what < schedule.inserts + schedule.edits) {
      row.modified = ++clock
      row.place = share()
    } else {
      // Deleted, or edited so that it lies in another window from now on: for this list it is the
      // same.
      rows.delete(row.id)
      present.delete(row.id)
    }
  }
  const answer = (offset: number): SeenPage => {
    if (changes < MOST_CHANGES && share() < schedule.busy)
      for (let count = int(1, 3); count > 0; count--) change()
    const list = [...rows.values()].sort(ORDERS[schedule.order])
    const page = list
      .slice(offset, offset + schedule.cap)
      .map(({ id, modified, created }) => ({ id, modified, created, inside: true }))
    return { offset, rows: page, total: schedule.total ? list.length : null }
  }

  /**
   * Requests reach the server in any order, and answers come back in any order: each step is one of
   * the two.
   */
  const waiting: {
    offset: number
    resolve: (page: SeenPage) => void
    reject: (error: Error) => void
    page?: SeenPage
  }[] = []
  let requests = 0
  let pumping = false
  const pump = async (): Promise<void> => {
    while (waiting.length > 0) {
      for (let ticks = int(1, 6); ticks > 0; ticks--) await Promise.resolve()
      const at = int(0, waiting.length - 1)
      const request = waiting[at]!
      if (request.page === undefined) request.page = answer(request.offset)
      if (share() < 0.7) {
        waiting.splice(at, 1)
        if (share() < schedule.failures)
          request.reject(new PartnerError('PARTNER_UNAVAILABLE', 'answered 500'))
        else request.resolve(request.page)
      }
    }
    pumping = false
  }
  const ask = (offset: number): Promise<SeenPage> =>
    new Promise((resolve, reject) => {
      requests++
      waiting.push({ offset, resolve, reject })
      if (!pumping) {
        pumping = true
        void pump()
      }
    })

  for (let count = 0; count < schedule.rows; count++) insert()
  const passes: Pass[] = []
  for (;;) {
    present = new Set(rows.keys())
    const underWay = startPass()
    let pass: Pass | undefined
    while (pass === undefined) {
      try {
        pass = await readPass(underWay, ask, {
          concurrency: schedule.concurrency,
          limit: schedule.cap,
        })
      } catch (error) {
        if (!(error instanceof PartnerError)) throw error
      }
    }
    passes.push(pass)
    const verdict = judgeLike(passes)
    if (verdict.status === 'again' && passes.length < MAX_PASSES + 1) continue
    if (verdict.status === 'again') throw new Error('asks for passes without end')
    const seen = new Set(pass.pages.flatMap(page => page.rows.map(row => row.id)))
    return { verdict, passes, requests, most, lost: [...present].filter(id => !seen.has(id)) }
  }
}
