import { bringIfPossible } from '../../books/bring-exports.ts'
import type { Config } from '../../config.ts'
import { openReadOnly } from '../../connectors/database.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import type { DueLine } from '../../schedules/read-due.ts'
import type { Notice } from '../../standing/notice.ts'
import type { RunningWorker } from '../../temporal/session.ts'
import { noticesOf, readEverything } from '../status/read-everything.ts'
import type { WorkerStanding } from '../status/worker-is-up.ts'

/** What is open, as `status` would say it now. */
export interface OpenNow {
  nowMs: number
  due: DueLine[]
  notices: Notice[]
}

/** A worker that tells others, and what it knows of all that work for its database. */
export interface Telling {
  config: Config
  worker: RunningWorker
  knownWorker: () => WorkerStanding
}

export async function readOpen({ config, worker, knownWorker }: Telling): Promise<OpenNow> {
  const { dependencies, push } = worker
  await using database = await openReadOnly(config, streams)
  await bringIfPossible(config, database.givenOut)
  const nowMs = dependencies.now()
  const everything = await readEverything(
    { config, database, outbound: push.outbound },
    {
      nowMs,
      worker: knownWorker(),
      countsRows: false,
      computesDays: false,
    },
  )
  return { nowMs, due: everything.due, notices: noticesOf(everything) }
}
