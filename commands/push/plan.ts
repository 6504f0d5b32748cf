import { existsSync } from 'node:fs'
import type { Config } from '../../config.ts'
import { UsageError } from '../../errors.ts'
import { showPlan } from '../../push/document.ts'
import type { Problem } from '../../push/input/problem.ts'
import { readInput } from '../../push/input/read-input.ts'
import { CATALOGS } from '../../push/operation.ts'
import type { Catalog } from '../../push/operation.ts'
import { makePlan } from '../../push/plan/make-plan.ts'
import type { Cap } from '../../push/plan/plan-store.ts'
import { CREATABLE } from '../../push/plan/store-question.ts'
import type { CreatableEntity } from '../../push/plan/store-question.ts'
import { chooseStores } from '../arguments/choices.ts'
import { ignoredColumns } from '../arguments/ignored-columns.ts'
import type { Context } from '../command.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { withPush } from './open-push.ts'
import { planExitStatus, printPushPlan } from './print-plan.ts'

export interface PushPlanOptions {
  /** Ids with commas between them. */
  store?: string
  create?: string
  deactivateMissing?: boolean
  maxDeactivations?: string
  ignoreColumns?: string
}

/**
 * `tillage push plan products|vendors FILE`: reads, compares and writes the plan; sends nothing.
 */
export async function pushPlan(
  { config, terminal, signal }: Context,
  options: PushPlanOptions,
  ...[catalog, file, moreStores]: [catalog: string, file: string, moreStores: readonly string[]]
): Promise<number> {
  const order = {
    catalog: chooseCatalog(catalog),
    stores: choosePushStores(config, [options.store ?? '', ...moreStores]),
    create: chooseCreatable(options.create),
    deactivateMissing: options.deactivateMissing === true,
    cap: readCap(options.maxDeactivations ?? DEFAULT_CAP),
  }
  if (!existsSync(file))
    throw new UsageError(
      `there is no file ${file}`,
      'tillage push template writes one to start from.',
    )
  const ignored = ignoredColumns(config.push, options.ignoreColumns)
  const input = await readInput(order.catalog, file, ignored)
  if (input.problems.length > 0) return refuse(input.problems, terminal)
  return withPush(config, async push => {
    const id = await makePlan({ ...push, say: terminal.progress }, { ...order, input }, signal)
    const document = await showPlan(push, id)
    printPushPlan(document, terminal)
    return planExitStatus(document)
  })
}

/** Of the records in use; more than that is rather a file that was cut off. */
const DEFAULT_CAP = '5%'

export function chooseCatalog(name: string): Catalog {
  const found = CATALOGS.find(catalog => catalog === name)
  if (found !== undefined) return found
  throw new UsageError(
    `there is no catalog ${JSON.stringify(name)}`,
    `Catalogs are: ${CATALOGS.join(', ')}.`,
  )
}

/** All stores, or those that are named: `--store a --store b`, `--store a b`, `--store a,b`. */
export function choosePushStores(config: Config, named: readonly string[]): string[] {
  const names = [...new Set(named.flatMap(list => list.split(',')))].filter(name => name !== '')
  return names.length === 0
    ? chooseStores(config, undefined)
    : names.flatMap(name => chooseStores(config, name))
}

function chooseCreatable(list: string | undefined): CreatableEntity[] {
  const names = (list ?? '').split(',').filter(name => name !== '')
  return names.map(name => {
    const found = CREATABLE.find(entity => entity === name)
    if (found !== undefined) return found
    throw new UsageError(`--create ${name} is unknown`, `Rows may create: ${CREATABLE.join(', ')}.`)
  })
}

function readCap(text: string): Cap {
  const match = /^(\d{1,9}(?:\.\d+)?)(%?)$/.exec(text)
  if (match === null || (match[2] === '' && match[1]!.includes('.')))
    throw new UsageError(
      `--max-deactivations ${text} is neither a number nor a percentage`,
      'Write it like 20 or 5%.',
    )
  return { count: Number(match[1]), percent: match[2] === '%' }
}

/** All problems of a file at once; nothing was planned. */
function refuse(problems: readonly Problem[], terminal: Terminal): number {
  if (terminal.json) terminal.print(JSON.stringify({ errors: problems }))
  else
    for (const { file, row, column, code, message } of problems) {
      const place = [row === 0 ? '' : ` row ${row}`, column === null ? '' : `, ${column}`].join('')
      terminal.log(`${file}${place}: ${message} (${code})`)
    }
  terminal.log(
    `${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}; nothing was planned`,
  )
  return 2
}
