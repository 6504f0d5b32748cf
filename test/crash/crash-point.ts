import { createRandom } from '../reading/moving-list.ts'
import type { Setting } from './scene.ts'

export const TROUBLES = [
  'worker killed',
  'Temporal server killed',
  'its keeper killed',
  'sandbox killed',
  'everything killed',
  'connections cut',
  'disk full',
  'database cut',
] as const
export type Trouble = (typeof TROUBLES)[number]

/**
 * When it happens: once the API has seen so many requests, after a share of the undisturbed time,
 * or at a commit.
 */
export type Moment =
  | { requests: number }
  | { share: number }
  | { commit: number; side: 'before' | 'after' }

export interface CrashPoint {
  /** Its place in the list of all points, from 1: `TILLAGE_CRASH_POINTS` names it by that. */
  number?: number
  trouble: Trouble
  moment: Moment
}

/** What an undisturbed run showed: the room that points are chosen from. */
export interface Undisturbed {
  setting: Setting
  requests: number
  commits: number
  tookMs: number
}

/** Who is killed at seeded points; the worker most often, since it is what dies most often. */
const SEEDED: readonly Trouble[] = [
  'worker killed',
  'Temporal server killed',
  'sandbox killed',
  'everything killed',
  'connections cut',
  'its keeper killed',
  'worker killed',
  'worker killed',
]
/** On a cluster Temporal is somebody else's, and who dies is not who waits. */
const SEEDED_ON_CLUSTER: readonly Trouble[] = [
  'worker killed',
  'database cut',
  'worker killed',
  'sandbox killed',
  'worker killed',
  'connections cut',
]

/**
 * So many points all over a run: every other one by requests, the others by time, which also
 * reaches start and end.
 */
export function seededPoints(
  seed: number,
  count: number,
  { requests, setting }: Undisturbed,
): CrashPoint[] {
  const { int, share } = createRandom(seed)
  const troubles = setting === 'cluster' ? SEEDED_ON_CLUSTER : SEEDED
  return Array.from({ length: count }, (_, index): CrashPoint => {
    const seeded = troubles[index % troubles.length]!
    // A file cannot be cut off; a server can, and often is.
    const isServers = setting === 'PostgreSQL' && index % 2 === 0
    const trouble = isServers ? 'database cut' : seeded
    const byRequests =
      trouble === 'connections cut' || Math.floor(index / troubles.length) % 2 === 0
    return {
      trouble,
      moment: byRequests
        ? { requests: int(1, requests - 1) }
        : { share: Math.round(share() * 130) / 100 },
    }
  })
}

/** The worker dies just before and just after each commit. */
export const commitPoints = ({ commits }: Undisturbed): CrashPoint[] =>
  numbersTo(commits).flatMap(commit =>
    (['before', 'after'] as const).map((side): CrashPoint => ({
      trouble: 'worker killed',
      moment: { commit, side },
    })),
  )

/** The disk is full from a commit on; after the last two there is only the orderly end to note. */
export const fullDiskPoints = ({ commits, setting }: Undisturbed): CrashPoint[] =>
  setting !== 'SQLite'
    ? []
    : numbersTo(commits - 2).map(commit => ({
        trouble: 'disk full',
        moment: { commit, side: 'after' },
      }))

const numbersTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1)

/**
 * One of each sort: a worker that dies at a commit, two other troubles at any moment, a disk that
 * is full half way.
 */
export function drawPoints(seed: number, undisturbed: Undisturbed): CrashPoint[] {
  const { int } = createRandom(seed)
  const drawn = <Item>(list: readonly Item[]): Item => list[int(0, list.length - 1)]!
  const others = seededPoints(seed, 2 * SEEDED.length, undisturbed).filter(
    ({ trouble }) => trouble !== 'worker killed',
  )
  const one = drawn(others)
  const another = drawn(others.filter(({ trouble }) => trouble !== one.trouble))
  // How often a run commits differs by one or two: the last commits of one are behind the end of
  // another. At the end little is written any more, and a full disk may hurt nobody.
  const commit = drawn(commitPoints(undisturbed).slice(0, -4))
  const fullDisks = fullDiskPoints(undisturbed)
  return [commit, one, another, ...fullDisks.slice(fullDisks.length / 2).slice(0, 1)]
}

/** Points with their numbers; with a text such as `30,146,100-110` only those. */
export function numberPoints(
  points: readonly CrashPoint[],
  only: string | undefined,
): CrashPoint[] {
  const numbered = points.map((point, index) => ({ number: index + 1, ...point }))
  if (only === undefined) return numbered
  const ranges = only.split(',').map(part => {
    const numbers = /^(\d+)(?:-(\d+))?$/.exec(part.trim())
    if (numbers === null)
      throw new Error(`TILLAGE_CRASH_POINTS is like 30,146,100-110; "${part}" is not`)
    const [, first, last = first] = numbers
    return { first: Number(first), last: Number(last) }
  })
  const chosen = numbered.filter(({ number }) =>
    ranges.some(({ first, last }) => first <= number && number <= last),
  )
  if (chosen.length === 0)
    throw new Error(`there are ${points.length} points, none of them ${only}`)
  return chosen
}

export function describeMoment(moment: Moment): string {
  if ('requests' in moment) return `request ${moment.requests}`
  return 'share' in moment
    ? `${Math.round(moment.share * 100)} % of the time`
    : `${moment.side} commit ${moment.commit}`
}
