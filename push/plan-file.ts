import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { approveByPolicy } from '../outbound/approve.ts'
import { sha256Of } from '../sha256.ts'
import { readInput } from './input/read-input.ts'
import type { Input } from './input/read-input.ts'
import { loadPlan } from './load-plan.ts'
import { countOperations, sends } from './operation.ts'
import type { Catalog } from './operation.ts'
import { makePlan } from './plan/make-plan.ts'
import { whyNotByPolicy } from './plan/policy.ts'
import type { CreatableEntity } from './plan/store-question.ts'
import type { Push } from './push.ts'

/** One file of a schedule, for one store; lives in histories. */
export interface ScheduledFile {
  store: string
  catalog: Catalog
  /** Absolute: a file, or a folder whose newest file counts. */
  path: string
  create: CreatableEntity[]
}

/** What became of it; ids and counts only. */
export interface PlannedFile {
  outcome:
    | 'no file'
    | 'unchanged'
    | 'bad file'
    | 'not planned'
    | 'nothing to do'
    | 'approved'
    | 'waits for a person'
  plan: string | null
  detail: string
}

/**
 * Plans a file that changed since it was last seen, and approves the plan where policy allows it.
 */
export async function planFile(
  push: Push,
  { store, catalog, path, create }: ScheduledFile,
  signal: AbortSignal,
): Promise<PlannedFile> {
  const file = newestFile(path)
  if (file === undefined) return { outcome: 'no file', plan: null, detail: `${path} has no file` }
  const schedule = `${store}/${catalog}/${path}`
  const input = await readInput(catalog, file, push.settings.ignoreColumns)
  const last = await push.memory.lastFile(schedule)
  const sha256 = contentOf(input)
  // What is wrong with a file may be a picture that was missing, and is said until it is right.
  if (last?.sha256 === sha256 && last.plan !== null)
    return { outcome: 'unchanged', plan: last.plan, detail: 'the file did not change' }
  const keep = (plan: string | null): Promise<void> =>
    push.memory.keepFile(schedule, {
      path: file,
      sha256,
      plan,
      at: new Date(push.now()).toISOString(),
    })
  if (input.problems.length > 0) {
    const [first] = input.problems
    await keep(null)
    return {
      outcome: 'bad file',
      plan: null,
      detail: `${input.problems.length} problems, the first in row ${first!.row}: ${first!.code}`,
    }
  }
  const order = { catalog, input, stores: [store], create, deactivateMissing: false, cap: NONE }
  const plan = await makePlan({ ...push, say: () => {} }, order, signal)
  const planned = await judgeByPolicy(push, plan)
  // A store that could not be planned is tried again: its file counts as not seen.
  if (planned !== undefined) await keep(plan)
  return planned ?? { outcome: 'not planned', plan, detail: 'its store could not be read' }
}

const NONE = { count: 0, percent: false }

/** The file and the pictures that it names: a new picture may have the name of the old one. */
function contentOf({ sha256, rows }: Input): string {
  const pictures = rows.flatMap(({ images }) => images.map(image => image.sha256))
  return pictures.length === 0 ? sha256 : sha256Of([sha256, ...pictures].join('\n'))
}

async function judgeByPolicy(push: Push, plan: string): Promise<PlannedFile | undefined> {
  const remembered = await loadPlan(push, plan)
  if (remembered.facts.stores.some(({ error }) => error !== null)) return undefined
  const planned = remembered.operations.map(operation => operation.planned)
  const { conflict, blocked } = countOperations(planned)
  const sending = planned.filter(sends).length
  if (sending === 0 && conflict + blocked === 0)
    return { outcome: 'nothing to do', plan, detail: 'everything is as the file says' }
  const why = whyNotByPolicy(planned, push.settings.policy)
  if (why !== undefined) return { outcome: 'waits for a person', plan, detail: why }
  await approveByPolicy(push.outbound, remembered, { atMs: push.now(), origin: 'schedule' })
  return { outcome: 'approved', plan, detail: `${sending} operations` }
}

/**
 * Of a folder the file that was written last; hidden files, what is no catalog, and what Excel
 * keeps beside a workbook that is open (`~$...`) do not count.
 */
function newestFile(path: string): string | undefined {
  if (!existsSync(path)) return undefined
  if (!statSync(path).isDirectory()) return path
  return readdirSync(path)
    .filter(name => /^[^.~].*\.(csv|xlsx|jsonl|ndjson)$/i.test(name))
    .map(name => join(path, name))
    .toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs || b.localeCompare(a))[0]
}
