import { streams } from '../connectors/partner/streams/index.ts'
import { datasetsOf } from '../exports/datasets.ts'
import { declareCommand } from './command.ts'
import type { Context } from './command.ts'
import { formatTable } from './terminal/table.ts'

/** `tillage datasets`: everything that `export` writes as a file. */
async function listDatasets({ terminal }: Pick<Context, 'terminal'>): Promise<number> {
  const booked = streams.filter(({ bookedAt }) => bookedAt !== undefined).map(({ name }) => name)
  const listed = datasetsOf(streams).map(({ name, stream, windowing, columns }) => ({
    name,
    stream,
    days: booked.includes(stream) ? 'business' : 'calendar',
    whole: windowing === 'full-refresh',
    columns: columns.length,
  }))
  terminal.print(
    terminal.json
      ? JSON.stringify({ datasets: listed })
      : `${formatTable(
          ['dataset', 'of stream', 'days are', 'columns'],
          listed.map(({ name, stream, days, whole, columns }) => [
            name,
            stream,
            whole ? 'of the change' : days,
            columns,
          ]),
        )}\n\n  Columns: tillage describe DATASET`,
  )
  return 0
}

export const command = declareCommand({ storeless: true, run: listDatasets })
