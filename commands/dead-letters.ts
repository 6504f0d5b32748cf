import type { Option } from 'commander'
import { toMinute } from '../calendar/days.ts'
import type { Config } from '../config.ts'
import { openDestination, openReadOnly, userName } from '../connectors/database.ts'
import type { DeadLetter } from '../connectors/destination/dead-letters.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import { UsageError } from '../errors.ts'
import { chooseStores, chooseStreams, requireText } from './arguments/choices.ts'
import { declareCommand, option } from './command.ts'
import type { CommandFamily, Context } from './command.ts'
import { oneLine } from './terminal/printable.ts'
import { formatTable } from './terminal/table.ts'

interface LetterFilter {
  store?: string
  stream?: string
}

/**
 * The letters that a filter and keys name; without keys all of them. A key that is not there is a
 * mistake.
 */
async function choose(
  config: Config,
  filter: LetterFilter,
  keys: readonly string[],
): Promise<DeadLetter[]> {
  const stores = chooseStores(config, filter.store)
  const names = chooseStreams(filter.stream === undefined ? [] : [filter.stream])
  await using database = await openReadOnly(config, streams)
  const found = await database.deadLetters.of(stores, names)
  const unknown = keys.filter(key => !found.some(letter => letter.key === key))
  if (unknown.length > 0)
    throw new UsageError(
      `there is no dead letter ${unknown.join(', ')}`,
      'tillage dead-letters list shows all of them.',
    )
  return keys.length === 0 ? found : found.filter(({ key }) => keys.includes(key))
}

/** What may be shown anywhere: no value of the record. */
const asJson = ({ store, stream, key, reason, window, firstSeenAt }: DeadLetter): object => ({
  store,
  stream,
  key,
  reason,
  window,
  firstSeenAt,
})

/**
 * `tillage dead-letters list`: one line for each record that no table could take. 3 if there are
 * any.
 */
async function listLetters({ config, terminal }: Context, filter: LetterFilter): Promise<number> {
  const letters = await choose(config, filter, [])
  if (terminal.json) terminal.print(JSON.stringify({ deadLetters: letters.map(asJson) }))
  else if (letters.length === 0) terminal.print('there are no dead letters')
  else
    terminal.print(
      formatTable(
        ['store', 'stream', 'key', 'first seen (UTC)', 'reason'],
        letters.map(letter => [
          letter.store,
          letter.stream,
          letter.key,
          toMinute(letter.firstSeenAt),
          letter.reason,
        ]),
      ),
    )
  return letters.length > 0 ? 3 : 0
}

/**
 * `tillage dead-letters show KEY`: the record as it came, which may tell who somebody is: for the
 * terminal alone.
 */
async function showLetter(
  { config, terminal }: Context,
  filter: LetterFilter,
  key: string,
): Promise<number> {
  const letters = await choose(config, filter, [key])
  if (terminal.json)
    terminal.print(
      JSON.stringify({
        deadLetters: letters.map(letter => ({ ...asJson(letter), raw: letter.raw })),
      }),
    )
  else
    for (const letter of letters)
      terminal.print(
        `${letter.store} ${letter.stream} ${oneLine(letter.key)}\n${letter.reason
          .split('; ')
          .map(problem => `  - ${oneLine(problem)}`)
          .join('\n')}\n${letter.raw}`,
      )
  return 0
}

/**
 * `tillage dead-letters replay [KEY...]`: merges the kept records again, each stream in one
 * transaction. 3 if any is refused again.
 */
async function replayLetters(
  { config, terminal }: Context,
  filter: LetterFilter,
  keys: readonly string[],
): Promise<number> {
  const readAt = new Date().toISOString()
  const replayed = await eachStream(
    config,
    await choose(config, filter, keys),
    (destination, chosen) => destination.deadLetters.replay({ ...chosen, readAt }),
  )
  const results = replayed.map(({ store, stream, done }) => ({
    store,
    stream,
    resolved: done.resolved,
    refused: done.refused,
  }))
  const refused = results.reduce((sum, { refused: again }) => sum + again.length, 0)
  if (terminal.json) terminal.print(JSON.stringify({ replayed: results }))
  else if (results.length === 0) terminal.print('there are no dead letters')
  else
    terminal.print(
      formatTable(
        ['store', 'stream', 'resolved', 'refused again'],
        results.map(result => [
          result.store,
          result.stream,
          result.resolved.length,
          result.refused.length,
        ]),
      ),
    )
  if (refused > 0)
    terminal.log('tillage dead-letters list says why records were refused; they stay as they are')
  return refused > 0 ? 3 : 0
}

/**
 * `tillage dead-letters discard KEY... --reason`: gives records up; they stay in
 * `discarded_letters` with who, when and why.
 */
async function discardLetters(
  { config, terminal }: Context,
  options: LetterFilter & { reason: string; by: string },
  keys: readonly string[],
): Promise<number> {
  const { by } = options
  const reason = requireText(
    options.reason,
    '--reason is empty',
    'Give the reason for discarding these records; somebody will ask.',
  )
  const at = new Date().toISOString()
  const discarded = await eachStream(
    config,
    await choose(config, options, keys),
    (destination, chosen) => destination.deadLetters.discard({ ...chosen, at, by, reason }),
  )
  const count = discarded.reduce((sum, { done }) => sum + done, 0)
  terminal.print(
    terminal.json
      ? JSON.stringify({ discarded: count, by, reason, at })
      : `${count} discarded by ${by}; their records stay in discarded_letters`,
  )
  return 0
}

interface Chosen {
  store: string
  stream: string
  keys: string[]
}

async function eachStream<Done>(
  config: Config,
  letters: readonly DeadLetter[],
  act: (destination: Awaited<ReturnType<typeof openDestination>>, chosen: Chosen) => Promise<Done>,
): Promise<{ store: string; stream: string; done: Done }[]> {
  const groups = new Map<string, Chosen>()
  for (const { store, stream, key } of letters) {
    const group = groups.get(`${store}/${stream}`) ?? { store, stream, keys: [] }
    groups.set(`${store}/${stream}`, group)
    group.keys.push(key)
  }
  await using destination = await openDestination(config, streams)
  const all: { store: string; stream: string; done: Done }[] = []
  for (const chosen of groups.values())
    all.push({ store: chosen.store, stream: chosen.stream, done: await act(destination, chosen) })
  return all
}

const oneStream = (): Option =>
  option('--stream <name>', 'one stream only').choices(streams.map(({ name }) => name))

export const command: CommandFamily = {
  subcommands: [
    {
      name: 'list',
      does: 'lists rejected records and their reasons, without values',
      command: declareCommand({ options: [oneStream()], run: listLetters }),
    },
    {
      name: 'show',
      does: 'shows a rejected record as it was received',
      command: declareCommand<LetterFilter, [string]>({
        takes: '<key>',
        options: [oneStream()],
        audited: ({ store, stream }, key) => ({ store, stream, key }),
        run: showLetter,
      }),
    },
    {
      name: 'replay',
      does: 'loads rejected records again: all, or those named',
      command: declareCommand({ takes: '[keys...]', options: [oneStream()], run: replayLetters }),
    },
    {
      name: 'discard',
      does: 'discards records; keeps them aside with who, when and why',
      command: declareCommand<Parameters<typeof discardLetters>[1], [readonly string[]]>({
        takes: '<keys...>',
        options: [
          oneStream(),
          option('--reason <text>', 'reason for discarding').makeOptionMandatory(),
          option('--by <name>', 'your name').default(userName()),
        ],
        audited: ({ store, stream, by, reason }, keys) => ({ store, stream, keys, by, reason }),
        run: discardLetters,
      }),
    },
  ],
}
