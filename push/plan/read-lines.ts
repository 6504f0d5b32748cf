import { z } from 'zod'
import type { Target } from '../../outbound/target.ts'
import { CATALOGS, FLAGS, MATCH_METHODS, OPERATION_KINDS } from '../operation.ts'
import type { Change, Operation } from '../operation.ts'
import type { Targets } from './plan-lines.ts'

const text = z.string()
const maybe = z.string().nullable()
const listOf = <Choice extends string>(choices: readonly [Choice, ...Choice[]]) =>
  text.transform(list => (list === '' ? [] : list.split(';'))).pipe(z.array(z.enum(choices)))

const image = z.strictObject({ path: text, name: text, sha256: text })
const edit = z.strictObject({
  path: z.array(text).min(1),
  to: maybe,
  idOf: text.optional(),
  images: z.array(image).optional(),
})

const line = z.strictObject({
  plan_id: text,
  op_id: text,
  store: text,
  entity: z.enum([...CATALOGS, 'brands', 'categories']),
  op: z.enum(OPERATION_KINDS),
  row_no: z.int().nullable(),
  match_method: z.enum(MATCH_METHODS).nullable(),
  external_id: text,
  target_id: maybe,
  base_modified: maybe,
  base_hash: maybe,
  field: maybe,
  old: maybe,
  new: maybe,
  flags: listOf(FLAGS),
  risk: text,
  effective_at: maybe,
  depends_on: text.transform(list => (list === '' ? [] : list.split(';'))),
  approval: text,
  name: text,
  edits: z.array(edit),
  sku: maybe,
  reason: maybe,
  base_url: text,
  company_id: maybe,
  shop_id: maybe,
})
type Line = z.infer<typeof line>

/** What plan.jsonl says: operations in the order of their lines, and whom they are for. */
export interface PushDocument {
  operations: readonly Operation[]
  targets: Targets
}

/** The opposite of `planJsonl`. Throws where a line is none of a plan. */
export function readPlanLines(jsonl: string): PushDocument {
  const lines = jsonl
    .split('\n')
    .filter(one => one !== '')
    .map((one, index) => readLine(one, index + 1))
  const operations = Map.groupBy(lines, ({ op_id: op }) => op)
  return {
    operations: [...operations.values()].map(operationOf),
    targets: new Map(lines.map(one => [one.store, targetOf(one)])),
  }
}

function readLine(json: string, number: number): Line {
  const parsed = line.safeParse(JSON.parse(json))
  if (parsed.success) return parsed.data
  const [problem] = parsed.error.issues
  throw new Error(`line ${number}, ${problem!.path.join('.')}: ${problem!.message}`)
}

const targetOf = ({ base_url, company_id, shop_id }: Line): Target => ({
  baseUrl: base_url,
  companyId: company_id,
  shopId: shop_id,
})

function operationOf(lines: readonly Line[]): Operation {
  const [first] = lines as [Line]
  const { base_hash: hash, sku } = first
  return {
    id: first.op_id,
    store: first.store,
    entity: first.entity,
    op: first.op,
    row: first.row_no,
    externalId: first.external_id,
    name: first.name,
    targetId: first.target_id,
    match: first.match_method,
    changes: lines.flatMap(changeOf),
    flags: first.flags,
    dependsOn: first.depends_on,
    effectiveAt: first.effective_at,
    reason: first.reason,
    base: hash === null ? null : { modified: first.base_modified, hash },
    ...(sku === null ? {} : { sku }),
  }
}

const changeOf = ({ field, old, new: next, edits }: Line): Change[] =>
  field === null ? [] : [{ field, old, new: next, edits }]
