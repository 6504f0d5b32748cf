import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { CrashPoint, Undisturbed } from './crash-point.ts'
import { differences, gather } from './left-behind.ts'
import type { LeftBehind } from './left-behind.ts'
import { Scene } from './scene.ts'
import type { Running, Setting } from './scene.ts'

export interface Disturbed {
  point: CrashPoint
  /** Since the start of the run; undefined: it had ended before. */
  hitAfterMs: number | undefined
  /** Exit status of the disturbed run; it has none if it was killed. */
  first: number | null
  second: number | null
  /**
   * Something that must not happen: a run that hangs, an export that fails, something that is not
   * equal.
   */
  wrong: string[]
  /** The last line that each failed run said. */
  said: string
}

export interface Expected {
  undisturbed: Undisturbed
  leftBehind: LeftBehind
  /** What is different once a row is gone and a digit has changed: for the check of the check. */
  spoiled: string[]
}

/**
 * The run that every other one is compared with, and at last what the comparison says when its
 * database is spoiled.
 */
export async function runUndisturbed(
  setting: Setting,
  spoil: (scene: Scene) => Promise<void>,
): Promise<Expected> {
  const scene = await Scene.open({ killsSandbox: false, setting })
  try {
    const { run } = await scene.sync()
    const startedMs = Date.now()
    const outcome = await scene.outcomeOf(run)
    if (outcome?.status !== 3)
      throw new Error(
        `an undisturbed run should end with 3, for its bad records: ${JSON.stringify(outcome)}`,
      )
    const tookMs = Date.now() - startedMs
    const undisturbed = {
      setting,
      requests: await scene.requestsSeen(),
      commits: scene.commitsSeen().length,
      tookMs,
    }
    const leftBehind = await gather(scene)
    await spoil(scene)
    rmSync(join(scene.project.folder, 'tillage-data', 'exports'), { recursive: true })
    return { undisturbed, leftBehind, spoiled: differences(leftBehind, await gather(scene)) }
  } finally {
    await scene.close()
  }
}

/** One run with trouble at one point, the same command again, and what is left behind compared. */
export async function disturb(
  point: CrashPoint,
  { undisturbed, leftBehind }: Expected,
): Promise<Disturbed> {
  const killsSandbox = point.trouble === 'sandbox killed' || point.trouble === 'everything killed'
  const scene = await Scene.open({ killsSandbox, setting: undisturbed.setting })
  const disturbed: Disturbed = {
    point,
    hitAfterMs: undefined,
    first: null,
    second: null,
    wrong: [],
    said: '',
  }
  const said = (outcome: { stderr: string } | undefined): void =>
    void (disturbed.said = outcome?.stderr.trim().split('\n').at(-1) ?? '')
  try {
    await prepare(scene, point)
    const running = await scene.sync()
    const startedMs = Date.now()
    const { run, victim } = running
    const hit = await strike(scene, running, point, undisturbed)
    if (hit) disturbed.hitAfterMs = Date.now() - startedMs
    const killsVictim = point.trouble === 'worker killed' || point.trouble === 'everything killed'
    // Who waits for a cluster is not the one that dies.
    const dead = killsVictim && victim === run
    const first = hit && dead ? (await run.outcome, undefined) : await scene.outcomeOf(run)
    disturbed.first = first?.status ?? null
    if (first === undefined && !(hit && dead)) disturbed.wrong.push('the disturbed run hangs')
    said(first)
    if (killsSandbox) await restartSandbox(scene)

    const second = await scene.syncAgain()
    disturbed.second = second?.status ?? null
    if (second === undefined) disturbed.wrong.push('the second run hangs')
    else if (second.status !== 0 && second.status !== 3) {
      said(second)
      disturbed.wrong.push('the second run fails')
    }
    disturbed.wrong.push(...differences(leftBehind, await gather(scene)))
  } catch (error) {
    disturbed.wrong.push((error as Error).message.split('\n')[0]!)
  } finally {
    await scene.close()
  }
  return disturbed
}

async function prepare(scene: Scene, { trouble, moment }: CrashPoint): Promise<void> {
  if ('commit' in moment) {
    const death = moment.side === 'before' ? 'die before' : 'die after'
    scene.order({ commit: moment.commit, act: trouble === 'disk full' ? 'full' : death })
  }
  if (trouble === 'connections cut' && 'requests' in moment)
    await scene.cutConnections(moment.requests)
}

/** Waits for the moment, then does it; false if the run ended first. */
async function strike(
  scene: Scene,
  { run, victim }: Running,
  { trouble, moment }: CrashPoint,
  { tookMs }: Undisturbed,
): Promise<boolean> {
  const startedMs = Date.now()
  const ended = (): boolean => run.exitCode !== null || run.signalCode !== null
  if ('commit' in moment) {
    while (!ended() && scene.commitsSeen().length < moment.commit) await delay(10)
    return scene.commitsSeen().length >= moment.commit
  }
  const due = async (): Promise<boolean> =>
    'requests' in moment
      ? (await scene.requestsSeen()) >= moment.requests
      : Date.now() - startedMs >= moment.share * tookMs
  while (!(await due())) {
    if (ended()) return false
    await delay(20)
  }
  if (ended()) return false
  if (trouble === 'sandbox killed') {
    await scene.killSandbox()
    // Refused connections in between; the run lives through it by itself, or is run again.
    await delay(500)
    await restartSandbox(scene)
  }
  if (trouble === 'database cut') return scene.cutDatabase()
  if (trouble === 'worker killed' || trouble === 'everything killed') victim.kill('SIGKILL')
  if (trouble === 'everything killed') await scene.killSandbox()
  const parts = {
    'Temporal server killed': ['server'],
    'its keeper killed': ['keeper'],
    'everything killed': ['keeper', 'server'],
  } as const
  return trouble in parts
    ? scene.killTemporal(parts[trouble as keyof typeof parts]) || trouble === 'everything killed'
    : true
}

const restartSandbox = (scene: Scene): Promise<void> =>
  scene.sandboxIsDown() ? scene.startSandbox() : Promise.resolve()
