import { openReadOnly } from '../connectors/database.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import { UsageError } from '../errors.ts'
import { chooseNames } from '../names.ts'
import { NotTaken } from '../notify/channels/not-taken.ts'
import { send } from '../notify/channels/send.ts'
import { openDocuments } from '../notify/decide.ts'
import type { NoticeDocument } from '../notify/document.ts'
import type { Channel } from '../notify/settings.ts'
import { testMessage } from '../notify/test-message.ts'
import { declareCommand, option } from './command.ts'
import type { CommandFamily, Context } from './command.ts'
import { bringOrSay } from './database/bring-or-say.ts'
import { situationOf } from './notify/situation.ts'
import { readOutbound } from './plans/with-outbound.ts'
import { noticesOf, readEverything } from './status/read-everything.ts'
import { askWorker } from './status/worker-is-up.ts'
import { formatTable } from './terminal/table.ts'

/** `tillage notify test`: one notice of kind `test`, at once. 0 only if each channel took it. */
async function test(
  { config, terminal, signal }: Context,
  { channel }: { channel?: string },
): Promise<number> {
  const chosen = chooseChannels(config.notify.channels, channel)
  const message = testMessage(Date.now())
  const sent = await Promise.all(
    chosen.map(async one => ({ channel: one.id, outcome: await outcomeOf(one, message, signal) })),
  )
  terminal.print(
    terminal.json
      ? JSON.stringify({ id: message.document.id, channels: sent })
      : formatTable(['channel', 'outcome'], sent.map(Object.values) as string[][]),
  )
  return sent.every(({ outcome }) => outcome === 'taken') ? 0 : 1
}

function chooseChannels(channels: readonly Channel[], named: string | undefined): Channel[] {
  if (channels.length === 0)
    throw new UsageError(
      'no channel is configured, so nobody can be notified',
      'Write notify: { channels: [...] } into tillage.yaml; docs/alarms.md says how.',
    )
  const ids = channels.map(({ id }) => id)
  const wanted = named === undefined ? ids : chooseNames('channel', [named], ids)
  return channels.filter(({ id }) => wanted.includes(id))
}

const outcomeOf = (
  channel: Channel,
  message: ReturnType<typeof testMessage>,
  signal: AbortSignal,
): Promise<string> =>
  send(channel, message, signal).then(
    () => 'taken',
    (error: unknown) => {
      if (error instanceof NotTaken) return error.message
      throw error
    },
  )

const DELIVERIES_SHOWN = 100

/** `tillage notify list`: what is open that calls somebody, and what was sent where. */
async function list({ config, terminal }: Context): Promise<number> {
  await using database = await openReadOnly(config, streams)
  await bringOrSay(config, database, terminal)
  const worker = await askWorker(config, database.identity)
  const nowMs = Date.now()
  const everything = await readOutbound(config, terminal, outbound =>
    readEverything(
      { config, database, outbound },
      { nowMs, worker, countsRows: false, computesDays: false },
    ),
  )
  const place = { config, kept: database.notices, database: await database.identity.id() }
  const asked = { nowMs, firstSeen: new Map() }
  const open = openDocuments(await situationOf(place, noticesOf(everything), asked))
  const deliveries = (await database.notices.deliveries(DELIVERIES_SHOWN)).map(
    ({ channel, id, state, at, outcome, detail = '', attempts, triedAt }) => {
      const said = outcome === 'taken' || detail === '' ? outcome : `${outcome}: ${detail}`
      return { channel, id: noticeIdOf(id), state, at: triedAt ?? at, outcome: said, attempts }
    },
  )
  terminal.print(
    terminal.json ? JSON.stringify({ open, deliveries }) : describeList(open, deliveries),
  )
  return 0
}

const noticeIdOf = (delivery: string): string => delivery.slice(0, delivery.indexOf('/'))

function describeList(
  open: readonly NoticeDocument[],
  deliveries: readonly Record<string, string | number>[],
): string {
  const standing =
    open.length === 0
      ? 'Nothing is open that calls somebody.'
      : formatTable(
          ['severity', 'what', 'since', 'notice'],
          open.map(({ severity, title, since, id }) => [severity, title, since, id]),
        )
  if (deliveries.length === 0) return `${standing}\n\nNothing was sent yet.`
  const sent = formatTable(
    ['channel', 'notice', 'state', 'at', 'outcome', 'tries'],
    deliveries.map(one => Object.values(one)),
  )
  return `${standing}\n\n${sent}`
}

export const command: CommandFamily = {
  subcommands: [
    {
      name: 'test',
      does: 'sends a test notice; exit status 0 only if each channel took it',
      command: declareCommand({
        storeless: true,
        options: [option('--channel <id>', 'only this channel')],
        run: test,
      }),
    },
    {
      name: 'list',
      does: 'lists what is open that calls somebody, and what was sent where',
      command: declareCommand({ storeless: true, run: list }),
    },
  ],
}
