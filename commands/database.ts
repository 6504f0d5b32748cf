import { declareCommand, option } from './command.ts'
import type { CommandFamily } from './command.ts'
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
  ],
}
