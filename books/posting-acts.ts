import type { PostingAct } from '../connectors/destination/given-out.ts'
import { UsageError } from '../errors.ts'
import type { HistoryPlace } from './books-place.ts'
import { standingAct } from './journal-imports.ts'
import type { JournalImport } from './journal-imports.ts'
import { readMonth } from './month.ts'

/** What somebody says of a day's journal. */
export interface PostingOrder {
  store: string
  day: string
  /** Undefined: the one that is meant where there is only one. */
  revision: number | undefined
  by: string
}

/** A revision was imported, under this number. Throws a UsageError where it was already. */
export async function recordPosted(
  place: HistoryPlace,
  order: PostingOrder,
  ref: string,
): Promise<PostingAct> {
  const imports = await importsOfDay(place, order)
  const waiting = imports.filter(({ posted }) => posted === null)
  const { revision, posted } = chooseImport(order, imports, waiting)
  if (posted !== null)
    throw new UsageError(
      `${order.day} r${revision} of ${order.store} was posted already: ${describeAct(posted)}`,
      'Nothing was recorded. If it was imported twice, delete one in the accounting program. ' +
        'If it was recorded by mistake: tillage books posted ' +
        `${order.day} --store ${order.store} --withdraw --reason TEXT --by NAME`,
    )
  return record(place, order, { revision, event: 'posted', ref, reason: null })
}

/** What was said of a revision is taken back. Throws a UsageError where nothing was said. */
export async function withdrawPosted(
  place: HistoryPlace,
  order: PostingOrder,
  reason: string,
): Promise<PostingAct> {
  const imports = await importsOfDay(place, order)
  const said = imports.filter(({ posted }) => posted !== null)
  const { revision, posted } = chooseImport(order, imports, said)
  if (posted === null)
    throw new UsageError(
      `nobody has said that ${order.day} r${revision} of ${order.store} was posted`,
      'Nothing was recorded.',
    )
  return record(place, order, { revision, event: 'withdrawn', ref: posted.ref, reason })
}

async function importsOfDay(
  place: HistoryPlace,
  { store, day }: PostingOrder,
): Promise<JournalImport[]> {
  const { days } = await readMonth(place, store, day.slice(0, 7))
  return days.find(one => one.day === day)!.imports
}

/** The one that is named, or the only one that fits. */
function chooseImport(
  { store, day, revision }: PostingOrder,
  all: readonly JournalImport[],
  fitting: readonly JournalImport[],
): JournalImport {
  const named = all.find(one => one.revision === revision)
  const [only, another] = fitting
  const chosen = named ?? (another === undefined ? (only ?? all.at(-1)) : undefined)
  if (revision === undefined ? chosen !== undefined : named !== undefined) return chosen!
  const known = all.map(one => one.revision).join(', ')
  if (all.length === 0)
    throw new UsageError(
      `${store} has no journal of ${day} to be imported`,
      `Nothing was recorded. How the day stands: tillage books --month ${day.slice(0, 7)}`,
    )
  throw new UsageError(
    revision === undefined
      ? `${day} of ${store} has more than one file, of which any may be meant`
      : `${day} of ${store} has no journal of revision ${revision}`,
    `Nothing was recorded. Name it: --revision, one of ${known}.`,
  )
}

async function record(
  { history }: HistoryPlace,
  { store, day, by }: PostingOrder,
  act: Pick<PostingAct, 'revision' | 'event' | 'ref' | 'reason'>,
): Promise<PostingAct> {
  const recorded = { store, day, by, at: new Date().toISOString(), ...act }
  await history.recordPostingAct(recorded)
  return recorded
}

/** `as QB-812 by Ana Ruiz on 2026-03-09`. */
export const describeAct = ({ ref, by, at }: PostingAct): string =>
  `${ref === null ? '' : `as ${ref} `}by ${by} on ${at.slice(0, 10)}`

/** Other revisions that were posted under the same number, which may have been typed twice. */
export const sameRef = (acts: readonly PostingAct[], act: PostingAct): PostingAct[] =>
  acts.filter(
    one =>
      one.ref === act.ref &&
      (one.day !== act.day || one.revision !== act.revision) &&
      standingAct(
        acts.filter(({ day }) => day === one.day),
        one.revision,
      ) === one,
  )
