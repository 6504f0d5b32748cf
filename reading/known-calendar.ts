/** What is known of an API's days, kept from one run to the next. */
import { ALL_DAY_INTERPRETATIONS, describeInterpretation } from '../calendar/day-interpretations.ts'
import type { AskedDays, DayInterpretation } from '../calendar/day-interpretations.ts'
import { toIso } from '../calendar/days.ts'
import type { KnownFact } from '../connectors/destination/behaviours.ts'
import type { KnownCalendar } from '../connectors/partner/endpoint.ts'
import type { ReadContext } from './context.ts'

/** Names of facts; the doctor writes the same. */
const END = 'end of a range'
const ZONE = 'zone of days'

/** What earlier runs, or the doctor, found out. A fact of another value leaves everything open. */
export async function recallCalendar({
  store,
  stream,
  destination,
}: ReadContext): Promise<KnownCalendar> {
  const facts = (await destination.behaviours.of(store)).filter(fact => fact.stream === stream.name)
  const valueOf = (name: string): string | undefined =>
    facts.find(fact => fact.name === name)?.value
  const [end, zone] = [valueOf(END), valueOf(ZONE)]
  const possible = ALL_DAY_INTERPRETATIONS.filter(
    reading =>
      (end === undefined || !ENDS.includes(end) || reading.end === end) &&
      (zone === undefined || !Object.values(ZONES).includes(zone) || ZONES[reading.zone] === zone),
  )
  return { possible, isNarrow: possible.length === 1 }
}

const ENDS: readonly string[] = ['inclusive', 'exclusive']
const ZONES: Readonly<Record<DayInterpretation['zone'], string>> = {
  store: "the store's",
  UTC: 'UTC',
}

/** For the next run; `asked` are the days whose rows have shown it. */
export async function keepCalendar(
  { store, stream, destination, now }: ReadContext,
  asked: AskedDays,
  possible: readonly DayInterpretation[],
): Promise<void> {
  const only = (values: readonly string[]): string => {
    const distinct = [...new Set(values)]
    if (distinct.length === 1) return distinct[0]!
    return possible === ALL_DAY_INTERPRETATIONS ? 'not constant' : 'unknown'
  }
  const fact = (name: string, value: string): KnownFact => ({
    stream: stream.name,
    name,
    value,
    evidence:
      `rows of ${asked.from} to ${asked.to}, as asked, are possible with: ` +
      possible.map(describeInterpretation).join(' or '),
    seenAt: toIso(now()),
  })
  await destination.behaviours.keep(store, [
    fact(END, only(possible.map(({ end }) => end))),
    fact(ZONE, only(possible.map(({ zone }) => ZONES[zone]))),
  ])
}
