import { DAY_MS, toIso } from '../calendar/days.ts'
import type { Interval } from '../calendar/days.ts'
import { wireRange } from '../calendar/windows.ts'
import type { FindingCode } from '../connectors/findings.ts'
import { PartnerError } from '../errors.ts'
import type { ReadContext } from './context.ts'

/** The API, or this partner key, does not have this list. */
export const NOT_OFFERED: Extract<FindingCode, 'not_offered'> = 'not_offered'

type Asked = Pick<ReadContext, 'store' | 'endpoint' | 'destination' | 'signal' | 'now' | 'timeZone'>

/** Ten months of days, or more: a list without a row in that time is as good as none. */
const MOST_WINDOWS_ASKED = 60

/**
 * Asks a list for one row, of the last day where it takes dates: it may refuse to be asked without.
 * Some servers answer 404 where there are no rows, so where the last day has that answer, the
 * windows that would be read are asked, too, the newest first. A refusal of the list itself is
 * recorded and answered with the finding's id: any of an optional list (4xx, a permission), of
 * others only that there is no such address. A failure that may pass is thrown, since the reading
 * would take the refusal behind it for a broken window; everything else is left to the reading.
 */
export async function checkOffered(
  asked: Asked,
  windows: readonly Interval[],
): Promise<string | undefined> {
  const { store, destination, now } = asked
  const { stream } = asked.endpoint
  const refused = await askForRow(asked, { startMs: now() - DAY_MS, endMs: now() })
  if (refused === undefined) return undefined
  const mayBeEmpty = stream.windowing !== 'full-refresh' && refused.refused?.status === NOT_FOUND
  for (const window of mayBeEmpty ? windows.slice(0, MOST_WINDOWS_ASKED) : [])
    if ((await askForRow(asked, window)) === undefined) return undefined
  const finding = {
    id: `${store}/${stream.name}/${NOT_OFFERED}`,
    store,
    stream: stream.name,
    code: NOT_OFFERED,
    detail: `GET ${stream.path} was refused with ${refused.refused?.status ?? refused.code}`,
    readAt: toIso(now()),
  }
  await destination.findings.note(finding)
  return finding.id
}

/** How the list itself is refused; undefined: it answers, or the reading will tell. */
async function askForRow(
  { endpoint, signal, timeZone }: Asked,
  window: Interval,
): Promise<PartnerError | undefined> {
  const { stream, governor, client } = endpoint
  const query = { ...wireRange(window, timeZone, stream.windowing).query, limit: '1' }
  try {
    await governor.run(() => client.get(stream.path, query, signal))
    return undefined
  } catch (error) {
    if (error instanceof PartnerError && error.recovery === 'retry') throw error
    if (!isRefusal(error)) return undefined
    return stream.optional === true || error.refused?.status === NOT_FOUND ? error : undefined
  }
}

const NOT_FOUND = 404

const isRefusal = (error: unknown): error is PartnerError =>
  error instanceof PartnerError &&
  (error.code === 'PARTNER_REFUSED' || error.code === 'PARTNER_PERMISSION')
