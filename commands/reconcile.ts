import { declareCommand, option } from './command.ts'
import type { CommandFamily } from './command.ts'
import { reconcilePlan } from './reconcile-plan.ts'

export const command: CommandFamily = {
  subcommands: [
    {
      name: 'plan',
      does: 'counts against what is there now; sends nothing',
      command: declareCommand({
        takes: '<files...>',
        options: [option('--full', 'a full inventory: every line of the sheets must be counted')],
        run: reconcilePlan,
      }),
    },
  ],
}
