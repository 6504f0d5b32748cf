import { ignoreColumns } from './arguments/ignored-columns.ts'
import { declareCommand, option } from './command.ts'
import type { CommandFamily } from './command.ts'
import { onlyReads } from './database/only-reads.ts'
import { reconcilePlan } from './reconcile/plan.ts'
import {
  reconcileApply,
  reconcileApprove,
  reconcileDiscard,
  reconcileList,
  reconcileResolve,
  reconcileShow,
} from './reconcile/steps.ts'
import type { ResolveOptions } from './reconcile/steps.ts'

const by = option('--by <name>', 'who says so').makeOptionMandatory()

export const command: CommandFamily = {
  subcommands: [
    {
      name: 'plan',
      does: 'counts against what is there now; sends nothing',
      command: declareCommand({
        takes: '<files...>',
        options: [
          option('--full', 'a full inventory: every line of the sheets must be counted'),
          ignoreColumns(),
        ],
        run: reconcilePlan,
      }),
    },
    {
      name: 'approve',
      does: 'a person named in tillage.yaml allows a plan',
      command: declareCommand({
        takes: '<plan>',
        options: [by, option('--hash <hash>', 'of what was looked at; another one is refused')],
        audited: ({ by, hash }: { by: string; hash?: string }, plan: string) => ({
          plan,
          by,
          hash,
        }),
        run: reconcileApprove,
      }),
    },
    {
      name: 'apply',
      does: 'sends what was approved, each room once, and verifies it',
      command: declareCommand({
        takes: '<plan>',
        audited: (_options: object, plan: string) => ({ plan }),
        run: reconcileApply,
      }),
    },
    {
      name: 'show',
      does: 'the story of a plan, from count to receipt',
      command: declareCommand({ takes: '<plan>', run: onlyReads(reconcileShow) }),
    },
    {
      name: 'list',
      does: 'every plan, the newest first, and how it stands',
      command: declareCommand({ run: onlyReads(reconcileList) }),
    },
    {
      name: 'discard',
      does: 'gives up what of a plan was not sent',
      command: declareCommand({
        takes: '<plan>',
        options: [by, option('--reason <text>', 'why').makeOptionMandatory()],
        audited: ({ by: who, reason }: { by: string; reason: string }, plan: string) => ({
          plan,
          by: who,
          reason,
        }),
        run: reconcileDiscard,
      }),
    },
    {
      name: 'resolve',
      does: 'a person decides about an operation that is unknown',
      command: declareCommand({
        takes: '<plan> <op>',
        options: [
          option('--as <choice>', 'confirm, retry or abandon').makeOptionMandatory(),
          by,
          option('--reason <text>', 'what the person has seen').makeOptionMandatory(),
        ],
        audited: ({ as, by, reason }: ResolveOptions, plan: string, op: string) => ({
          plan,
          op,
          as,
          by,
          reason,
        }),
        run: reconcileResolve,
      }),
    },
  ],
}
