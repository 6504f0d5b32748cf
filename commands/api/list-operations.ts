import { operations } from '../../connectors/partner/contract/index.ts'
import { GROUPS, pathParameters } from '../../connectors/partner/contract/operation.ts'
import type { Operation } from '../../connectors/partner/contract/operation.ts'
import { UsageError } from '../../errors.ts'
import { fold } from '../terminal/started-as.ts'
import { formatTable } from '../terminal/table.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { cut } from '../terminal/wrap.ts'

/** `tillage api --list [GROUP]`: the operations of the contract; `true` means all groups. */
export function listOperations(group: string | true, terminal: Terminal): number {
  const listed = group === true ? operations : ofGroup(group)
  terminal.print(
    terminal.json
      ? JSON.stringify({ operations: listed.map(asJson) })
      : describe(listed, group === true),
  )
  return 0
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z]/g, '')

/**
 * `store-inventory`, `Store inventory` and `storeinventory` are one group; a beginning that only
 * one has will do.
 */
function ofGroup(typed: string): readonly Operation[] {
  const exact = GROUPS.filter(name => plain(name) === plain(typed))
  const begun = GROUPS.filter(name => plain(name).startsWith(plain(typed)))
  const [name, ...others] = exact.length > 0 ? exact : begun
  if (name === undefined || others.length > 0)
    throw new UsageError(
      `there is no group ${JSON.stringify(typed)}`,
      `Groups are: ${GROUPS.join(', ')}.`,
    )
  return operations.filter(operation => operation.group === name)
}

const needed = ({ needs }: Operation): string[] =>
  needs.filter(need => need !== 'store' && need !== 'company')

function asJson(operation: Operation): object {
  const { id, group, method, path, title, needs, query, body, answer, notShown } = operation
  return {
    id,
    group,
    method,
    path,
    title,
    needs,
    parameters: { path: pathParameters(path), query: Object.keys(query?.shape ?? {}) },
    body: body?.kind ?? null,
    answer: answer.kind,
    notShown: notShown ?? [],
  }
}

/**
 * All groups: what there is. One group: what each operation takes, and what the documentation
 * leaves open.
 */
const describe = (listed: readonly Operation[], brief: boolean): string =>
  brief ? describeBriefly(listed) : listed.map(describeOperation).join('\n\n')

const LONGEST_TITLE = 48

const describeBriefly = (listed: readonly Operation[]): string =>
  formatTable(
    ['group', 'method', 'path', 'does'],
    listed.map(({ group, method, path, title }) => [
      group,
      method,
      shortPath(path),
      cut(title, LONGEST_TITLE),
    ]),
    { minor: ['group'], below: 'does' },
  )

function describeOperation(operation: Operation): string {
  const { method, path, title, notShown = [] } = operation
  const takes = takenBy(operation)
  return [
    `${method} ${shortPath(path)}`,
    `  ${title}.`,
    ...(takes.length > 0 ? [`  Takes: ${takes.join(', ')}.`] : []),
    ...notShown.map(sentence => `  Not shown: ${sentence}`),
  ]
    .map(fold)
    .join('\n')
}

/** What has to be given for an operation, as it is typed. */
function takenBy(operation: Operation): string[] {
  const { query, body, writes } = operation
  return [
    ...Object.keys(query?.shape ?? {}).map(name => `--param ${name}`),
    ...(body === undefined ? [] : [takenAsBody(body)]),
    ...needed(operation).map(need =>
      need === 'consumer' ? '--param cuid or X-Auth-Token' : `permission ${need}`,
    ),
    ...(writes === true ? ['--write'] : []),
  ]
}

function takenAsBody(body: NonNullable<Operation['body']>): string {
  if (body.kind === 'json') return '--body FILE (JSON)'
  const fields = Object.keys(body.schema.shape).filter(name => name !== 'file')
  return `--body FILE, ${fields.map(name => `--param ${name}`).join(', ')}`
}

const shortPath = (path: string): string => path.replace(/^\/api\/v1\/partner/, '')
