import { bringIfPossible } from '../../books/bring-exports.ts'
import type { Config } from '../../config.ts'
import { openReadOnly } from '../../connectors/database.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import type { DueLine } from '../../schedules/read-due.ts'
import type { Notice } from '../../standing/notice.ts'
import type { RunningWorker } from '../../temporal/session.ts'
import { noticesOf, readEverything } from '../status/read-everything.ts'

/** What is open, as `status` would say it now. */
export interface OpenNow {
  nowMs: number
  due: DueLine[]
  notices: Notice[]
}

/** For a worker that tells others; it is there itself, so none is missing. */
export async function readOpen(config: Config, worker: RunningWorker): Promise<OpenNow> {
  const { dependencies, push } = worker
  const database = await openReadOnly(config, streams)
  try {
    await bringIfPossible(config, database.givenOut)
    const nowMs = dependencies.now()
    const everything = await readEverything(
      { config, database, outbound: push.outbound },
      {
        nowMs,
        worker: { isUp: true, stranded: [] },
        countsRows: false,
        computesDays: false,
      },
    )
    return { nowMs, due: everything.due, notices: noticesOf(everything) }
  } finally {
    await database.close()
  }
}
