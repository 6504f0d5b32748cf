import { givenFiles } from '../books/given-files.ts'
import type { ListedFile } from '../books/given-files.ts'
import { addDays } from '../calendar/days.ts'
import { openReadOnly } from '../connectors/database.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import { declareCommand, days, option } from './command.ts'
import type { Context } from './command.ts'

interface FilesOptions {
  store?: string
  from?: string
  to?: string
  dataset?: string
  format?: string
  current?: boolean
}

/** `tillage files`: what was given out; with `--current` what a reader should load. */
async function files({ config, terminal }: Context, options: FilesOptions): Promise<number> {
  const database = await openReadOnly(config, streams)
  try {
    const all = givenFiles(database.givenOut, config.exports)
    const found = all.filter(file => isAsked(file, options))
    if (terminal.json) terminal.print(JSON.stringify({ files: found.map(asJson) }))
    else {
      for (const { path, gone } of found) {
        if (gone) terminal.log(`gone from the disk: ${path}`)
        else terminal.print(path)
      }
    }
    return 0
  } finally {
    await database.close()
  }
}

function isAsked(file: ListedFile, asked: FilesOptions): boolean {
  const named = (['store', 'dataset', 'format'] as const).every(
    fact => asked[fact] === undefined || file[fact] === asked[fact],
  )
  const { from = file.from, to = file.to, current = false } = asked
  return named && file.from >= from && file.to <= to && (!current || file.current)
}

const asJson = ({ store, from, to, dataset, format, revision, ...rest }: ListedFile): object => ({
  store,
  ...(addDays(from, 1) === to ? { day: from } : { from, to }),
  dataset,
  format,
  revision,
  rows: rest.rows,
  path: rest.path,
  sha256: rest.sha256,
  current: rest.current,
  ...(rest.gone ? { gone: true } : {}),
})

export const command = declareCommand({
  options: [
    ...days(),
    option('--dataset <name>', 'only this dataset'),
    option('--format <name>', 'only this format'),
    option('--current', 'only what a reader should load: the newest of each day and dataset'),
  ],
  run: files,
})
