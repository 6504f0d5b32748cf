import { declareCommand, option } from './command.ts'
import type { CommandFamily } from './command.ts'
import { databaseCopy } from './database/copy.ts'
import type { CopyOptions } from './database/copy.ts'
import { databaseCreate } from './database/create.ts'

export const command: CommandFamily = {
  subcommands: [
    {
      name: 'create',
      does: 'makes schema, tables and roles of a PostgreSQL database',
      command: declareCommand<{ print?: boolean }, [string?]>({
        takes: '[address]',
        options: [option('--print', 'only print the SQL, for whoever may run it')],
        notes:
          'Of the database in tillage.yaml, unless another is named: ' +
          'postgres://USER:PASSWORD@HOST:5432/NAME?sslmode=verify-full&schema=tillage. ' +
          'Nobody signs in as tillage_worker, which reads and writes, or tillage_reader, which ' +
          'sees no people: who does, is made a member. What is there stays; run it again after ' +
          'an update of Tillage.',
        storeless: true,
        run: databaseCreate,
      }),
    },
    {
      name: 'copy',
      does: 'brings everything from SQLite into PostgreSQL, or back',
      command: declareCommand<CopyOptions>({
        options: [
          option('--from <database>', 'file or address that has the rows').makeOptionMandatory(),
          option('--to <database>', 'file or address where nothing is yet').makeOptionMandatory(),
          option('--resume', 'go on with a copy that did not end'),
          option('--keep', 'go on with the source; the copy is another database'),
        ],
        notes:
          'Stop everything else first. Both are compared at the end; only then the source is ' +
          'marked as moved, and refuses writes (DATABASE_MOVED). The member secret goes along; ' +
          'plans, receipts and whatever else lies beside a file stay there.',
        storeless: true,
        run: databaseCopy,
      }),
    },
  ],
}
