import { auditReport } from './audit-report.ts'
import { auditSnapshot } from './audit-snapshot.ts'
import { declareCommand, option } from './command.ts'
import type { CommandFamily } from './command.ts'

export const command: CommandFamily = {
  subcommands: [
    {
      name: 'snapshot',
      does: 'reads expected stock live and writes blind count sheets',
      command: declareCommand({
        options: [
          option('--room <id or name...>', 'some rooms only'),
          option('--open', 'sheets that show the expected quantity'),
        ],
        run: auditSnapshot,
      }),
    },
    {
      name: 'report',
      does: 'counts against the snapshot: a workbook, CSV files, a page to sign',
      command: declareCommand({
        takes: '<audit>',
        options: [option('--counts <files...>', 'the counts, CSV or XLSX').makeOptionMandatory()],
        run: auditReport,
      }),
    },
  ],
}
