import { ignoreColumns } from './arguments/ignored-columns.ts'
import { declareCommand, option } from './command.ts'
import type { CommandFamily } from './command.ts'
import { onlyReads } from './database/only-reads.ts'
import { sayingOf } from './plans/say-of-plan.ts'
import { reconcilePlan } from './reconcile/plan.ts'
import {
  reconcileApply,
  reconcileApprove,
  reconcileList,
  reconcileResolve,
  reconcileShow,
  sayOfCount,
} from './reconcile/steps.ts'
import type { ResolveOptions } from './reconcile/steps.ts'

const by = option('--by <name>', 'your name').makeOptionMandatory()

export const command: CommandFamily = {
  readsExports: true,
  subcommands: [
    {
      name: 'plan',
      does: 'compares counts (files, or an audit with a report) with current stock; sends nothing',
      command: declareCommand({
        takes: '<counts...>',
        options: [
          option('--full', 'a full inventory: every line of the sheets must be counted'),
          ignoreColumns(),
        ],
        run: reconcilePlan,
      }),
    },
    {
      name: 'approve',
      does: 'approves a plan; for approvers of tillage.yaml',
      command: declareCommand({
        takes: '<plan>',
        options: [
          by,
          option('--hash <hash>', 'hash of the plan that you looked at; another is refused'),
        ],
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
      does: 'shows the story of a plan, from count to receipt',
      command: declareCommand({ takes: '<plan>', run: onlyReads(reconcileShow) }),
    },
    {
      name: 'list',
      does: 'lists every plan, newest first, with its state',
      command: declareCommand({ run: onlyReads(reconcileList) }),
    },
    ...sayingOf(sayOfCount),
    {
      name: 'resolve',
      does: 'records your decision about an operation with an unknown outcome',
      command: declareCommand({
        takes: '<plan> <op>',
        options: [
          option('--as <choice>', 'confirm, retry or abandon').makeOptionMandatory(),
          by,
          option('--reason <text>', 'what you found on the platform').makeOptionMandatory(),
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
