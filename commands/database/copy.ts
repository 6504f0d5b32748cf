import { resolve } from 'node:path'
import type { Comparison, Difference } from '../../connectors/copy/copy-rows.ts'
import { copyRows } from '../../connectors/copy/copy-rows.ts'
import type { Fingerprint } from '../../connectors/copy/fingerprints.ts'
import { movedError } from '../../connectors/copy/marks.ts'
import {
  openCopySource,
  openCopyTarget,
  readOrMakeSecret,
  readSecret,
  refuseOlder,
  refuseUnread,
} from '../../connectors/database.ts'
import type { PlacedDatabase } from '../../connectors/destination/place.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import { isServerAddress, placeOf } from '../../connectors/server-address.ts'
import { UsageError } from '../../errors.ts'
import { MEMBER_SECRET } from '../../exports/sales/member-secret.ts'
import { recordAct } from '../../record-act.ts'
import type { Context } from '../command.ts'
import { countOf } from '../terminal/number.ts'
import { formatTable } from '../terminal/table.ts'
import { checkedAddress } from './create.ts'

export interface CopyOptions {
  from: string
  to: string
  resume?: boolean
  keep?: boolean
}

type Order = Required<CopyOptions>

/** `tillage database copy`: all of it, compared at the end; the source is given up for it then. */
export async function databaseCopy(context: Context, options: CopyOptions): Promise<number> {
  const { terminal } = context
  const order = {
    from: databaseAt(options.from),
    to: databaseAt(options.to),
    resume: options.resume ?? false,
    keep: options.keep ?? false,
  }
  const [from, to] = [placeOf(order.from), placeOf(order.to)]
  if (from === to) throw new UsageError(`${from} is both: there is nothing to copy`)
  await refuseUnread(order.from)
  await refuseOlder(order.from, streams)
  const secret = await secretToCopy(context, order)
  const { same, different } = await copy(context, order, secret)
  const isSame = different.length === 0
  if (isSame) await recordAct(order.to, 'database copy', { from, kept: order.keep })
  terminal.print(
    terminal.json
      ? JSON.stringify({
          from,
          to,
          verified: isSame,
          moved: isSame && !order.keep,
          same,
          different,
        })
      : formatComparison({ same, different }),
  )
  terminal.log(isSame ? sayDone(order) : sayDifferent(to, different.length))
  return isSame ? 0 : 1
}

/** A password is in no message from here on. */
const databaseAt = (named: string): string =>
  isServerAddress(named) || named.includes('://') ? checkedAddress(named) : resolve(named)

/** The source is given up before the copy is a database: there are never two that take writes. */
async function copy(
  { terminal, signal, config }: Context,
  { from, to, resume, keep }: Order,
  secret: string | undefined,
): Promise<Comparison> {
  const source = await openCopySource(from)
  try {
    const { movedTo, place } = source
    if (movedTo !== undefined && !(resume && movedTo === placeOf(to)))
      throw movedError(place, movedTo)
    const target = await openCopyTarget(to, streams, { from: place, resume })
    try {
      const progress = (line: string): void => terminal.progress(line)
      const comparison = await copyRows({ source, target, streams, signal, progress })
      if (comparison.different.length > 0) return comparison
      if (secret !== undefined)
        await readOrMakeSecret(placed(config, to), { ...MEMBER_SECRET, make: () => secret })
      if (!keep) await source.markMoved(target.place)
      await target.finish({ newIdentity: keep })
      return comparison
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

const placed = ({ localFiles }: Context['config'], database: string): PlacedDatabase => ({
  database,
  localFiles: isServerAddress(database) ? localFiles : database,
})

/** Member keys in files depend on it, so it goes along; another one is never replaced. */
async function secretToCopy({ config }: Context, { from, to }: Order): Promise<string | undefined> {
  const ours = await readSecret(placed(config, from), MEMBER_SECRET)
  const theirs = await readSecret(placed(config, to), MEMBER_SECRET)
  if (ours === undefined || theirs === undefined || ours === theirs) return ours
  throw new UsageError(
    `the member secret of ${placeOf(to)} is another one than that of ${placeOf(from)}; ` +
      'nothing was copied',
    'Members would have other keys in files than before. ' +
      'Move away the one that no file was made with.',
  )
}

const HEAD = ['table', 'store', 'month', 'rows', 'sum', 'hash', '']

function formatComparison({ same, different }: Comparison): string {
  const cells = (of: Fingerprint | undefined, what: string): (string | number)[] =>
    of === undefined
      ? ['', '', '', 0, '', '', what]
      : [of.table, of.store, of.month, of.rows, of.sum ?? '', of.hash.slice(0, 12), what]
  return formatTable(HEAD, [
    ...same.map(of => cells(of, '')),
    ...different.flatMap(({ source, target }: Difference) => [
      cells(source, 'source'),
      cells(target, 'copy'),
    ]),
  ])
}

const sayDone = ({ from, to, keep }: Order): string =>
  keep
    ? `${placeOf(to)} holds what ${placeOf(from)} holds, as a database of its own.`
    : `${placeOf(from)} is ${placeOf(to)} now, and takes no writes any more. Write its address ` +
      'behind database: in tillage.yaml.'

const sayDifferent = (to: string, count: number): string =>
  `${countOf(count, 'part')} of the copy ${count === 1 ? 'is' : 'are'} not what the source has. ` +
  `The source stays as it is, and nothing opens ${to}. If the source was written to since the copy ` +
  'began, or somebody changed the copy, remove the copy and run it again without --resume.'
