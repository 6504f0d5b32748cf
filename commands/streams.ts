import { streams } from '../connectors/partner/streams/index.ts'
import { declareCommand } from './command.ts'
import type { Context } from './command.ts'
import { formatTable } from './terminal/table.ts'

/** How a stream is asked for, in words. */
const READ = {
  days: 'by day',
  milliseconds: 'by instant',
  'full-refresh': 'whole, each time',
} as const

/** `tillage streams`: every list that can be read. */
async function listStreams({ terminal }: Pick<Context, 'terminal'>): Promise<number> {
  const listed = streams.map(stream => ({
    name: stream.name,
    holds: stream.title,
    read: READ[stream.windowing],
    daily: stream.parent === undefined,
    children: Object.keys(stream.children),
    path: stream.path,
  }))
  terminal.print(
    terminal.json
      ? JSON.stringify({ streams: listed })
      : `${formatTable(
          ['stream', 'holds', 'is read'],
          listed.map(({ name, holds, read, daily }) => [
            name,
            holds,
            daily ? read : 'when it is named',
          ]),
        )}\n\n  Columns: tillage describe STREAM`,
  )
  return 0
}

export const command = declareCommand({ storeless: true, run: listStreams })
