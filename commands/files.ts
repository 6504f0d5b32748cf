import { PREFERENCES } from '../books/current-files.ts'
import { givenFiles } from '../books/given-files.ts'
import type { ListedFile } from '../books/given-files.ts'
import { addDays } from '../calendar/days.ts'
import { openReadOnly } from '../connectors/database.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import { datasetsOf } from '../exports/datasets.ts'
import { JOURNAL_DATASETS } from '../exports/journal/write-formats.ts'
import { PUBLISHED_FORMATS } from '../exports/revisions/manifest.ts'
import { RESTATEMENT } from '../exports/sales/restatement.ts'
import { chooseNames } from '../names.ts'
import { isObjectAddress } from '../objects/place.ts'
import { checkDays, chooseReadStores } from './arguments/choices.ts'
import { declareCommand, days, option } from './command.ts'
import type { Context } from './command.ts'
import { chooseLinkSeconds, linksTo } from './files/links.ts'
import { countOf } from './terminal/number.ts'
import type { Terminal } from './terminal/terminal.ts'

/** Whatever a file may be of; earlier versions may have called it otherwise. */
const DATASETS = [...datasetsOf(streams).map(({ name }) => name), RESTATEMENT, ...JOURNAL_DATASETS]

interface FilesOptions {
  store?: string
  from?: string
  to?: string
  dataset?: string
  format?: string
  current?: boolean
  link?: string | boolean
  prefer?: string
}

/** `tillage files`: what was given out; with `--current` what a reader should load. */
async function files({ config, terminal }: Context, options: FilesOptions): Promise<number> {
  checkDays(options)
  const [preference] = chooseNames('preference', listOf(options.prefer), PREFERENCES)
  const seconds = chooseLinkSeconds(config, options.link)
  chooseNames('format', listOf(options.format), PUBLISHED_FORMATS)
  await using database = await openReadOnly(config, streams)
  await chooseReadStores(config, database, options.store)
  const all = await givenFiles(database.givenOut, config, {
    preference,
    store: options.store,
  })
  const datasets = new Set([...DATASETS, ...all.map(({ dataset }) => dataset)])
  chooseNames('dataset', listOf(options.dataset), [...datasets])
  const asked = all.filter(file => isAsked(file, options))
  const found = options.current === true ? asked.filter(({ current }) => current) : asked
  const links = seconds === undefined ? undefined : await linksTo(config, found, seconds)
  if (found.length === 0 && !terminal.json) terminal.log(describeNone(all.length))
  sayElsewhere(found, terminal)
  const leftOut = options.current === true ? leftOutOf(asked) : []
  print(terminal, { found, leftOut }, links)
  warnAboutLeftOut(leftOut, terminal)
  return leftOut.length > 0 ? 3 : 0
}

/** By address. */
type Links = ReadonlyMap<string, string> | undefined

interface Answer {
  found: readonly ListedFile[]
  leftOut: readonly ListedFile[]
}

function print(terminal: Terminal, { found, leftOut }: Answer, links: Links): void {
  if (terminal.json) {
    const files = found.map(file => asJson(file, links))
    const left = leftOut.map(({ path, daysNotListed: days }) => ({ path, days }))
    terminal.print(JSON.stringify({ files, ...(left.length > 0 ? { leftOut: left } : {}) }))
    return
  }
  for (const { path, gone } of found) {
    const place = isObjectAddress(path) ? 'bucket' : 'disk'
    if (gone) terminal.log(`gone from the ${place}: ${path}`)
    else terminal.print(links?.get(path) ?? path)
  }
}

function sayElsewhere(found: readonly ListedFile[], terminal: Terminal): void {
  const elsewhere = found.filter(file => file.elsewhere)
  if (elsewhere.length === 0) return
  terminal.log(
    'in another bucket than exports names, where nobody looked whether they are there: ' +
      countOf(elsewhere.length, 'file'),
  )
}

const describeNone = (given: number): string =>
  given === 0
    ? 'no file was given out yet. Begin with: tillage export transactions --from DAY --to DAY'
    : `none of the ${countOf(given, 'file')} that were given out is asked for by these options`

const listOf = (name: string | undefined): string[] => (name === undefined ? [] : [name])

/** Files of which days are in no file of the list, because other days of theirs are in others. */
const leftOutOf = (asked: readonly ListedFile[]): ListedFile[] =>
  asked.filter(({ daysNotListed = 0 }) => daysNotListed > 0)

function warnAboutLeftOut(leftOut: readonly ListedFile[], terminal: Terminal): void {
  for (const { path, daysNotListed } of leftOut)
    terminal.log(
      'left out, because other files hold some of its days: ' +
        `${path} (${daysNotListed} of its days are in no file of this list)`,
    )
  if (leftOut.length > 0)
    terminal.log(
      'Export these days one by one as well, or load what holds more days at once: ' +
        '--prefer ranges, which nights do not revise.',
    )
}

function isAsked(file: ListedFile, asked: FilesOptions): boolean {
  const named = (['store', 'dataset', 'format'] as const).every(
    fact => asked[fact] === undefined || file[fact] === asked[fact],
  )
  const { from = file.from, to = file.to } = asked
  return named && file.from >= from && file.to <= to
}

const asJson = (
  { store, from, to, dataset, format, revision, ...rest }: ListedFile,
  links: Links,
): object => ({
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
  ...(rest.elsewhere ? { elsewhere: true } : {}),
  ...(links?.has(rest.path) === true ? { link: links.get(rest.path) } : {}),
})

export const command = declareCommand({
  options: [
    ...days(),
    option('--dataset <name>', 'only this dataset'),
    option('--format <name>', 'only this format'),
    option('--current', 'only the files to load: the newest of each day, each row once'),
    option('--link [minutes]', 'of a bucket: links that anybody can read by, for so long (15)'),
    option('--prefer <what>', 'which files, where several cover a day: days (default) or ranges'),
  ],
  run: files,
})
