import { userName } from '../connectors/database.ts'
import { declareCommand, option } from './command.ts'
import type { CommandFamily } from './command.ts'
import { storeEvict } from './store/evict.ts'
import type { EvictOptions } from './store/evict.ts'
import { storeList } from './store/list.ts'
import { storeRename } from './store/rename.ts'
import { storeZone } from './store/zone.ts'
import type { ZoneOptions } from './store/zone.ts'

const by = option('--by <name>', 'who decides').default(userName())
const reason = option('--reason <text>', 'why; the audit log keeps it')

export const command: CommandFamily = {
  subcommands: [
    {
      name: 'list',
      does: 'the stores of tillage.yaml and of the database, and whom each stands for',
      command: declareCommand({ storeless: true, run: storeList }),
    },
    {
      name: 'rename',
      does: 'gives all that was read of a store another id',
      command: declareCommand<{ by: string; reason?: string }, [string, string]>({
        takes: '<old> <new>',
        options: [by, reason],
        notes:
          'Stop everything else first. Then write the new id into tillage.yaml. ' +
          'What was given out keeps ' +
          'the old name, and so do plans and receipts of writes to the API.',
        storeless: true,
        run: storeRename,
      }),
    },
    {
      name: 'evict',
      does: 'takes rows of another shop out of a store, and says what is to be read again',
      command: declareCommand<EvictOptions, [string]>({
        takes: '<id>',
        options: [
          option('--shop <id>', 'the shop whose rows go, as the rows themselves say'),
          option('--company <id>', 'the same by company'),
          by,
          reason,
          option('--dry-run', 'only says what would follow'),
        ],
        notes: 'Stop everything else first.',
        storeless: true,
        run: storeEvict,
      }),
    },
    {
      name: 'zone',
      does: 'decides on another time zone for what was read, and says what follows',
      command: declareCommand<ZoneOptions, [string, string]>({
        takes: '<id> <zone>',
        options: [by, reason, option('--dry-run', 'only says what would follow')],
        storeless: true,
        run: storeZone,
      }),
    },
  ],
}
