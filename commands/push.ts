import { ignoreColumns } from './arguments/ignored-columns.ts'
import { declareCommand, option } from './command.ts'
import type { CommandFamily } from './command.ts'
import { onlyReads } from './database/only-reads.ts'
import { sayingOf } from './plans/say-of-plan.ts'
import { pushApply } from './push/apply.ts'
import { pushApprove } from './push/approve.ts'
import type { PushApproveOptions } from './push/approve.ts'
import { pushDiff } from './push/diff.ts'
import { pushDrift } from './push/drift.ts'
import { pushList } from './push/list.ts'
import { pushPlan } from './push/plan.ts'
import { pushResolve } from './push/resolve.ts'
import type { PushResolveOptions } from './push/resolve.ts'
import { pushShow, sayOfPush } from './push/show.ts'
import { pushTemplate } from './push/template.ts'
import { pushUndo } from './push/undo.ts'

const PLAN = 'PLAN is the id of a plan, or the path of its plan.jsonl.'
const PLANS = 'FIRST and SECOND are ids of plans, or paths of their plan.jsonl.'

const audited = (_options: object, plan: string): { plan: string } => ({ plan })

/** `tillage push ...`: catalogs out. */
export const command: CommandFamily = {
  subcommands: [
    {
      name: 'template',
      does: 'writes a catalog file to start from, empty or with the live catalog',
      command: declareCommand({
        takes: '<catalog>',
        options: [
          option('--filled', 'with the live catalog of each store; unchanged, its plan is empty'),
          option('--out <file>', 'where to write it (default: products.csv, products_STORE.csv)'),
        ],
        run: onlyReads(pushTemplate),
      }),
    },
    {
      name: 'plan',
      does: 'compares a catalog file with the API and writes a plan; sends nothing',
      command: declareCommand({
        takes: '<catalog> <file> [stores...]',
        options: [
          option('--create <list>', 'brands,categories: what rows may create'),
          option('--deactivate-missing', 'deactivate records that the file does not name'),
          option(
            '--max-deactivations <number>',
            'limit as N, or N% of the active ones (default: 5%)',
          ),
          ignoreColumns(),
        ],
        notes: 'CATALOG is products or vendors; --store may be given more than once.',
        needs: { maxDeactivations: ['deactivateMissing'] },
        run: pushPlan,
      }),
    },
    {
      name: 'show',
      does: 'shows a plan field by field, and its progress',
      command: declareCommand({
        takes: '<plan>',
        options: [option('--people', 'also show who somebody is: names, phones, e-mail')],
        notes: PLAN,
        audited: ({ people }: { people?: boolean }, plan: string) =>
          people === true ? { plan, people } : undefined,
        run: onlyReads(pushShow),
      }),
    },
    {
      name: 'approve',
      does: 'approves a plan, or more of it',
      command: declareCommand({
        takes: '<plan>',
        options: [
          option('--by <name>', 'your name'),
          option('--hash <hash>', 'hash of the plan that you looked at'),
          option('--guarded <list>', 'all, or ids of operations that need their own approval'),
        ],
        notes: PLAN,
        audited: ({ by, guarded, hash }: PushApproveOptions, plan: string) => ({
          plan,
          by,
          guarded,
          hash,
        }),
        run: pushApprove,
      }),
    },
    {
      name: 'apply',
      does: 'sends what is approved and due; continues where it stopped',
      command: declareCommand({ takes: '<plan>', notes: PLAN, audited, run: pushApply }),
    },
    {
      name: 'undo',
      does: 'makes a plan that reverses a plan; sends nothing',
      command: declareCommand({ takes: '<plan>', notes: PLAN, audited, run: pushUndo }),
    },
    {
      name: 'resolve',
      does: 'records your answer about a parked operation',
      command: declareCommand({
        takes: '<plan> <op>',
        options: [
          option('--not-sent', 'it did not arrive: the next apply searches again, then sends it'),
          option('--sent <id>', 'it arrived: id of the record that it created or changed'),
          option('--by <name>', 'your name'),
        ],
        notes: PLAN,
        audited: ({ by, sent }: PushResolveOptions, plan: string, op: string) => ({
          plan,
          op,
          by,
          answer: sent === undefined ? 'not sent' : `sent: ${sent}`,
        }),
        run: pushResolve,
      }),
    },
    ...sayingOf(sayOfPush, PLAN),
    {
      name: 'list',
      does: 'lists every plan, newest first, with its state',
      command: declareCommand({ run: onlyReads(pushList) }),
    },
    {
      name: 'diff',
      does: 'shows how a second plan differs from a first one',
      command: declareCommand({
        takes: '<first> <second>',
        notes: PLANS,
        run: onlyReads(pushDiff),
      }),
    },
    {
      name: 'drift',
      does: 'shows what others changed since our last push, field by field',
      command: declareCommand({ run: onlyReads(pushDrift) }),
    },
  ],
}
