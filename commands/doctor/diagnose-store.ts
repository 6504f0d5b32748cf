import { chooseZone } from '../../activities/judge-identity.ts'
import { mayReconcile } from '../../audit/take-snapshot.ts'
import { dayOf, dayStart } from '../../calendar/clock.ts'
import { addDays } from '../../calendar/days.ts'
import type { StoreConfig } from '../../config.ts'
import type { Behaviours } from '../../connectors/destination/behaviours.ts'
import type { Destination } from '../../connectors/destination/destination.ts'
import { contradicts } from '../../connectors/partner/behaviour.ts'
import type { Fact } from '../../connectors/partner/behaviour.ts'
import type { ApiClock } from '../../connectors/partner/client.ts'
import { probeErrors, probeList } from '../../connectors/partner/probe.ts'
import type { ProbeRequest } from '../../connectors/partner/probe.ts'
import { parseStoreInfo, STORE_PATH } from '../../connectors/partner/store-info.ts'
import type { StoreInfo } from '../../connectors/partner/store-info.ts'
import { dailyStreams } from '../../connectors/partner/streams/index.ts'
import type { Stream } from '../../connectors/stream.ts'
import { PartnerError, TillageError } from '../../errors.ts'
import { skewFact } from '../../reading/api-time.ts'

/** What the API does, for one of its lists or, where `stream` is empty, altogether. */
interface DiagnosedFact extends Fact {
  stream: string
  /** What it did when somebody looked last, where that was something else. */
  was?: string
}

export interface Diagnosis {
  store: string
  identity: StoreInfo | undefined
  /** Of the two that a partner key can have here; undefined if the API does not say. */
  mayReconcile: boolean | undefined
  facts: DiagnosedFact[]
  /** Why the store cannot be worked with. */
  trouble: TillageError | undefined
}

export interface DiagnoseTools {
  ask: ProbeRequest
  clock: ApiClock
  destination: Destination
  progress: (line: string) => void
}

/** Who the store is, what its key may, and how each list of its API behaves. Only reads. */
export async function diagnoseStore(store: StoreConfig, tools: DiagnoseTools): Promise<Diagnosis> {
  const diagnosis: Diagnosis = {
    store: store.id,
    identity: undefined,
    mayReconcile: undefined,
    facts: [],
    trouble: undefined,
  }
  try {
    const identity = parseStoreInfo((await tools.ask(STORE_PATH, {})).toString('utf8'))
    diagnosis.identity = identity
    await gatherFacts(store, zoneOf(store, identity), tools, diagnosis.facts)
    await keepFacts(tools.destination.behaviours, store.id, diagnosis.facts)
    const readHistory = () => tools.ask('/api/v1/partner/reconciliations', { limit: '1' })
    diagnosis.mayReconcile = await mayReconcile(readHistory).catch(notSaid)
    return diagnosis
  } catch (error) {
    if (!(error instanceof TillageError)) throw error
    return { ...diagnosis, trouble: error }
  }
}

const zoneOf = (
  { id, timeZone, timeZoneIsRight }: StoreConfig,
  { timeZone: answered }: StoreInfo,
): string =>
  chooseZone({
    id,
    configured: timeZone,
    isRight: timeZoneIsRight,
    answered,
    known: undefined,
    nowMs: Date.now(),
  })

/** Into `facts`, one after the other: what was found before something failed is shown, too. */
async function gatherFacts(
  { id }: StoreConfig,
  timeZone: string,
  { ask, clock, destination, progress }: DiagnoseTools,
  facts: DiagnosedFact[],
): Promise<void> {
  const skew = skewFact(clock.skewMs())
  if (skew !== undefined) facts.push(skew)
  facts.push({ stream: '', ...(await probeErrors(ask)) })
  for (const stream of dailyStreams) {
    progress(`${id}: asking ${stream.path}`)
    const around = await daysToAskAbout(destination, id, stream, timeZone)
    for (const fact of await probeList(ask, stream, around, timeZone))
      facts.push({ stream: stream.name, ...fact })
  }
}

/** Where we hold rows, the newest day that has some; else the last days up to now. */
async function daysToAskAbout(
  { rows }: Destination,
  store: string,
  stream: Stream,
  timeZone: string,
): Promise<{ startMs: number; endMs: number }> {
  const isWhole = stream.windowing === 'full-refresh'
  const newestMs = isWhole ? 0 : ((await rows.newestModified(store, stream)) ?? Date.now())
  const firstDay = addDays(dayOf(newestMs, timeZone), -3)
  return { startMs: dayStart(firstDay, timeZone), endMs: newestMs + 1 }
}

/** Remembers them for the next sync, and says of each what it was before. */
async function keepFacts(
  behaviours: Behaviours,
  store: string,
  facts: readonly DiagnosedFact[],
): Promise<void> {
  const known = await behaviours.of(store)
  const seenAt = new Date().toISOString()
  await behaviours.keep(
    store,
    facts.map(fact => ({ ...fact, seenAt })),
  )
  for (const fact of facts) {
    const before = known.find(({ stream, name }) => stream === fact.stream && name === fact.name)
    if (before !== undefined && contradicts(fact.value, before.value)) fact.was = before.value
  }
}

function notSaid(error: unknown): undefined {
  if (!(error instanceof PartnerError)) throw error
}
