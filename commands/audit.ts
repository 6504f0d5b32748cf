import { STEPS } from '../audit/clocks.ts'
import { REASONS } from '../audit/reasons.ts'
import { ignoreColumns } from './arguments/ignored-columns.ts'
import { auditDiscard } from './audit/discard.ts'
import { auditConfirm, auditDone, auditWithdraw } from './audit/discrepancy.ts'
import { auditList } from './audit/list.ts'
import { auditReport } from './audit/report.ts'
import { auditSnapshot } from './audit/snapshot.ts'
import { declareCommand, option } from './command.ts'
import type { CommandFamily } from './command.ts'

const by = option('--by <name>', 'an approver of tillage.yaml').makeOptionMandatory()

const HOW_TO_COUNT = `An empty cell means not counted; 0 means none. Name who counted, and when, once a sheet.
Times are on the store's clock: 2026-11-23 16:05, 11/23/2026 4:05 PM, or with an offset.
Adjustment reasons (reconcile.reasons may name others): ${REASONS.join(', ')}.`

export const command: CommandFamily = {
  readsExports: true,
  subcommands: [
    {
      name: 'snapshot',
      does: 'reads the live stock and writes blind count sheets',
      command: declareCommand({
        options: [
          option('--room <id or name...>', 'only these rooms'),
          option('--open', 'show the expected quantity on the sheets'),
        ],
        notes: HOW_TO_COUNT,
        run: auditSnapshot,
      }),
    },
    {
      name: 'list',
      does: 'lists every audit, newest first, with its state',
      command: declareCommand({ run: auditList }),
    },
    {
      name: 'report',
      does: 'compares counts with the snapshot: a workbook, CSV files, a page to sign',
      command: declareCommand({
        takes: '<audit>',
        options: [
          option('--counts <files...>', 'the counts, CSV or XLSX').makeOptionMandatory(),
          option('--state <file>', "the state's own list: packages exported from Metrc as CSV"),
          ignoreColumns(),
        ],
        notes: HOW_TO_COUNT,
        run: auditReport,
      }),
    },
    {
      name: 'discard',
      does: 'gives up an audit that nobody counts to its end; keeps its files',
      command: declareCommand({
        takes: '<audit>',
        options: [
          option('--by <name>', 'your name').makeOptionMandatory(),
          option('--reason <text>', 'why nobody counts it').makeOptionMandatory(),
        ],
        audited: ({ store, by, reason }, audit) => ({ audit, store, by, reason }),
        run: auditDiscard,
      }),
    },
    {
      name: 'confirm',
      does: 'confirms a significant discrepancy; starts the deadlines of the rules',
      command: declareCommand({
        takes: '<audit>',
        options: [
          by,
          option('--reason <text>', 'what happened').makeOptionMandatory(),
          option('--against-report', 'confirm although the report says that it is not significant'),
        ],
        audited: ({ store, by, reason }, audit) => ({ audit, store, by, reason }),
        run: auditConfirm,
      }),
    },
    {
      name: 'withdraw',
      does: 'takes a confirmation back; ends its deadlines',
      command: declareCommand({
        takes: '<audit>',
        options: [by, option('--reason <text>', 'why it was a mistake').makeOptionMandatory()],
        audited: ({ store, by, reason }, audit) => ({ audit, store, by, reason }),
        run: auditWithdraw,
      }),
    },
    {
      name: 'done',
      does: 'records that the notice or report was made; ends its deadline',
      command: declareCommand({
        takes: '<audit> <step>',
        options: [
          by,
          option('--reason <text>', 'a case number, who was told').makeOptionMandatory(),
        ],
        notes: `STEP is ${STEPS.join(' or ')}.`,
        audited: ({ store, by, reason }, audit, step) => ({ audit, step, store, by, reason }),
        run: auditDone,
      }),
    },
  ],
}
