import { ignoreColumns } from './arguments/ignored-columns.ts'
import { declareCommand, option } from './command.ts'
import type { CommandFamily } from './command.ts'
import { onlyReads } from './database/only-reads.ts'
import { pushApply } from './push/apply.ts'
import { pushApprove } from './push/approve.ts'
import type { PushApproveOptions } from './push/approve.ts'
import { pushDiff } from './push/diff.ts'
import { pushDiscard } from './push/discard.ts'
import { pushDrift } from './push/drift.ts'
import { pushList } from './push/list.ts'
import { pushPlan } from './push/plan.ts'
import { pushResolve } from './push/resolve.ts'
import type { PushResolveOptions } from './push/resolve.ts'
import { pushShow } from './push/show.ts'
import { pushTemplate } from './push/template.ts'
import { pushUndo } from './push/undo.ts'

const PLAN = 'PLAN is the id of a plan, or the path of its plan.jsonl.'

const audited = (_options: object, plan: string): { plan: string } => ({ plan })

/** `tillage push ...`: catalogs out. */
export const command: CommandFamily = {
  subcommands: [
    {
      name: 'template',
      does: 'writes a catalog file to start from, empty or out of the live catalog',
      command: declareCommand({
        takes: '<catalog>',
        options: [
          option(
            '--filled',
            'with the live catalog of each store; planned unchanged, it does nothing',
          ),
          option('--out <file>', 'where it goes (default: products.csv, products_STORE.csv)'),
        ],
        run: onlyReads(pushTemplate),
      }),
    },
    {
      name: 'plan',
      does: 'compares a catalog file with the API and writes the plan; sends nothing',
      command: declareCommand({
        takes: '<catalog> <file> [stores...]',
        options: [
          option('--create <list>', 'brands,categories: what rows may create'),
          option('--deactivate-missing', 'take out of use what the file does not name'),
          option('--max-deactivations <number>', 'N or N% of those in use (default: 5%)'),
          ignoreColumns(),
        ],
        notes: 'CATALOG is products or vendors; --store may be given more than once.',
        needs: { maxDeactivations: ['deactivateMissing'] },
        run: pushPlan,
      }),
    },
    {
      name: 'show',
      does: 'a plan, field by field, and how far it is',
      command: declareCommand({ takes: '<plan>', notes: PLAN, run: onlyReads(pushShow) }),
    },
    {
      name: 'approve',
      does: 'allows what apply sends; may be repeated',
      command: declareCommand({
        takes: '<plan>',
        options: [
          option('--by <name>', 'who approves'),
          option('--hash <hash>', 'of the plan that was looked at'),
          option('--guarded <list>', 'all, or ids of what needs an approval of its own'),
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
      does: 'sends what is approved and due; goes on where it stopped',
      command: declareCommand({ takes: '<plan>', notes: PLAN, audited, run: pushApply }),
    },
    {
      name: 'undo',
      does: 'makes the inverse plan, out of receipts; sends nothing',
      command: declareCommand({ takes: '<plan>', notes: PLAN, audited, run: pushUndo }),
    },
    {
      name: 'resolve',
      does: 'the answer of a person to an operation that is parked',
      command: declareCommand({
        takes: '<plan> <op>',
        options: [
          option('--not-sent', 'it did not arrive: the next apply searches again and sends it'),
          option('--sent <id>', 'it arrived: the id of the record that it made or changed'),
          option('--by <name>', 'who says so'),
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
    {
      name: 'discard',
      does: 'gives up what of a plan was not sent',
      command: declareCommand({
        takes: '<plan>',
        options: [
          option('--by <name>', 'who gives it up').makeOptionMandatory(),
          option('--reason <text>', 'why').makeOptionMandatory(),
        ],
        notes: PLAN,
        audited: ({ by, reason }: { by: string; reason: string }, plan: string) => ({
          plan,
          by,
          reason,
        }),
        run: pushDiscard,
      }),
    },
    {
      name: 'list',
      does: 'every plan, the newest first, and how it stands',
      command: declareCommand({ run: onlyReads(pushList) }),
    },
    {
      name: 'diff',
      does: 'what a second plan would do otherwise than a first one',
      command: declareCommand({ takes: '<first> <second>', notes: PLAN, run: onlyReads(pushDiff) }),
    },
    {
      name: 'drift',
      does: 'what somebody else changed since our last push, field by field',
      command: declareCommand({ run: onlyReads(pushDrift) }),
    },
  ],
}
