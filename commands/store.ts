import { userName } from '../connectors/database.ts'
import { declareCommand, option } from './command.ts'
import type { CommandFamily } from './command.ts'
import { storeEvict } from './store/evict.ts'
import type { EvictOptions } from './store/evict.ts'
import { storeList } from './store/list.ts'
import { storeRename } from './store/rename.ts'
import { storeZone } from './store/zone.ts'
import type { ZoneOptions } from './store/zone.ts'

const by = option('--by <name>', 'your name').default(userName())
const reason = option('--reason <text>', 'reason, noted in the audit log')

export const command: CommandFamily = {
  subcommands: [
    {
      name: 'list',
      does: 'lists the stores of tillage.yaml and of the database, with company and shop',
      command: declareCommand({ storeless: true, run: storeList }),
    },
    {
      name: 'rename',
      does: 'changes the id of a store and of all its data',
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
      does: 'removes rows of another shop from a store, and says what to read again',
      command: declareCommand<EvictOptions, [string]>({
        takes: '<id>',
        options: [
          option('--shop <id>', 'id of the shop whose rows are removed'),
          option('--company <id>', 'or id of the company'),
          by,
          reason,
          option('--dry-run', 'only show the consequences'),
        ],
        notes: 'Stop everything else first.',
        storeless: true,
        run: storeEvict,
      }),
    },
    {
      name: 'zone',
      does: 'changes the time zone of stored data, and shows the consequences',
      command: declareCommand<ZoneOptions, [string, string]>({
        takes: '<id> <zone>',
        options: [by, reason, option('--dry-run', 'only show the consequences')],
        storeless: true,
        run: storeZone,
      }),
    },
  ],
}
