import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dayStart } from '../../calendar/clock.ts'
import { toIso } from '../../calendar/days.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import { PROFILES } from '../../sandbox/faults/profiles.ts'
import type { ProfileName } from '../../sandbox/faults/profiles.ts'
import { startSandbox } from '../../sandbox/server.ts'
import type { Sandbox } from '../../sandbox/server.ts'
import type { SyncReport } from '../../temporal/run-sync.ts'
import { control, Project } from '../helpers/project.ts'
import type { DatabaseName, Outcome } from '../helpers/project.ts'
import { LONG, sized } from '../helpers/size.ts'
import { ownNamespace } from '../helpers/temporal.ts'

/**
 * How each profile is met: all windows proven or not (or as it happens), and the code that says
 * why, if there is something to say.
 */
const MET: Readonly<
  Record<ProfileName, readonly ['proven' | 'unproven' | 'either', code?: string]>
> = {
  cap37: ['proven', 'page_cap'],
  'cap-unlimited': ['proven', 'page_over_limit'],
  'limit-refused': ['proven', 'limit_refused'],
  'short-pages': ['proven', 'page_cap'],
  'no-total': ['proven', 'total_missing'],
  'liar-total-high': ['unproven', 'total_above_rows'],
  'liar-total-low': ['proven', 'total_wrong'],
  'moving-total': ['either', 'total_moves'],
  'offset-ignored': ['unproven', 'offset_ignored'],
  'only-start': ['proven', 'offset_parameter'],
  'only-skip': ['proven', 'offset_parameter'],
  'repeat-ids': ['proven', 'repeated_ids'],
  'out-of-range': ['unproven', 'outside_window'],
  'dates-ignored': ['unproven', 'outside_window'],
  'envelope-search-result': ['proven'],
  'envelope-results': ['proven', 'total_missing'],
  'envelope-values-only': ['proven', 'total_missing'],
  'envelope-array': ['proven', 'total_missing'],
  'envelope-changes': ['unproven', 'PARTNER_ENVELOPE'],
  'error-200': ['unproven', 'PARTNER_ERROR_BODY'],
  'html-200': ['unproven', 'PARTNER_NOT_API'],
  'empty-middle': ['unproven', 'empty_page'],
  'end-exclusive': ['proven'],
  'days-utc': ['proven'],
  unsorted: ['proven'],
  unstable: ['either'],
  'sorted-id': ['proven'],
  'sorted-modified-ascending': ['proven'],
  busy: ['either'],
  'bad-records': ['proven'],
  'error-list': ['proven'],
  'error-message': ['proven'],
  'error-statuses': ['proven'],
  'refunds-positive': ['proven'],
  'events-repeated': ['proven'],
  'events-shuffled': ['proven'],
}
/** No reading of a list shows these: one of them, `error-list`, is read in each run. */
const UNSEEN = ['error-message', 'error-statuses', 'events-repeated', 'events-shuffled']
const EVERY = (Object.keys(MET) as ProfileName[]).filter(name => LONG || !UNSEEN.includes(name))
/** Those of this run. */
let profiles: readonly ProfileName[] = EVERY

/**
 * One of each kind of list: calendar days, milliseconds, whole; each with more than a page
 * somewhere.
 */
const STREAMS = [
  'transactions',
  'members',
  'products',
  ...(LONG ? ['purchase_orders', 'batches', 'vendors'] : []),
]
/** In the middle of the data, so that rows outside of it exist. */
const RANGE = ['2026-03-07', '2026-03-12'] as const
/** An honest server is asked some twenty times for its longest list here. */
const REQUESTS_AT_MOST = 400

let sandboxes: Sandbox[]
let before: Map<Sandbox, Map<string, Map<string, number>>>
let outcome: Outcome
let report: SyncReport
let project: Project

/** One store for each profile, and all of them in one run: none may spoil it for another. */
async function syncAll(database: DatabaseName): Promise<void> {
  sandboxes = await Promise.all(
    profiles.map(profile =>
      startSandbox({
        stores: 1,
        days: 9,
        until: '2026-03-14',
        transactionsPerDay: sized(30, 40),
        profiles: [profile],
      }),
    ),
  )
  project = new Project(await ownNamespace())
  await project.chooseDatabase(database)
  project.configure(
    sandboxes.map((sandbox, index) => ({
      id: profiles[index]!,
      baseUrl: sandbox.baseUrl,
      partnerKey: sandbox.partnerKey,
      developerKey: sandbox.stores[0]!.developerKey,
    })),
  )
  before = new Map(
    await Promise.all(
      sandboxes.map(
        async sandbox =>
          [
            sandbox,
            new Map(
              await Promise.all(
                STREAMS.map(async stream => [stream, await truthOf(sandbox, stream)] as const),
              ),
            ),
          ] as const,
      ),
    ),
  )
  outcome = await project.run('sync', ...STREAMS, '--from', RANGE[0], '--to', RANGE[1], '--json')
  report = JSON.parse(outcome.stdout) as SyncReport
  ids = readIds()
}

async function closeAll(): Promise<void> {
  await project.remove()
  await Promise.all(sandboxes.map(sandbox => sandbox.close()))
}

/**
 * What the list holds for the range, whatever its profile makes of it: ids and when they were
 * modified; catalogs have no dates.
 */
async function truthOf(sandbox: Sandbox, stream: string): Promise<Map<string, number>> {
  const [{ id: store, timeZone }] = sandbox.stores as [Sandbox['stores'][number]]
  const [from, to] = RANGE.map(day => toIso(dayStart(day, timeZone)))
  const dates =
    streams.find(({ name }) => name === stream)!.windowing === 'full-refresh'
      ? ''
      : `&from=${from}&to=${to}`
  return new Map(
    (
      (await control(sandbox, 'GET', `records?store=${store}&stream=${stream}${dates}`)) as {
        id: string
        modified: number
      }[]
    ).map(({ id, modified }) => [id, modified]),
  )
}

/**
 * What was there throughout: a row that came, or moved, after its window was proven is for the next
 * run to find.
 */
async function thereThroughout(sandbox: Sandbox, stream: string): Promise<string[]> {
  const now = await truthOf(sandbox, stream)
  return [...before.get(sandbox)!.get(stream)!]
    .filter(([id, modified]) => now.get(id) === modified)
    .map(([id]) => id)
}

/** What the tables hold once the run is over: ids by stream and store. */
let ids: Record<string, Map<string, Set<string>>>
function readIds(): typeof ids {
  const rows = project.queries(
    Object.fromEntries(STREAMS.map(stream => [stream, `SELECT store_id, id FROM ${stream}`])),
  )
  return Object.fromEntries(
    STREAMS.map(stream => {
      const byStore = Map.groupBy(rows[stream] as [string, string][], ([store]) => store)
      return [
        stream,
        new Map([...byStore].map(([store, all]) => [store, new Set(all.map(([, id]) => id))])),
      ]
    }),
  )
}
const held = (store: string, stream: string): Set<string> => ids[stream]!.get(store) ?? new Set()

/** Profiles of the sandbox, read into a database of this kind. */
export function liarsOn(database: DatabaseName, named: readonly ProfileName[] = EVERY): void {
  profiles = named
  beforeAll(() => syncAll(database))
  afterAll(closeAll)

  test('every profile of the sandbox has been thought of, and one run over all of them ends with 3', () => {
    expect(Object.keys(PROFILES).filter(name => !(name in MET))).toEqual([])
    expect(outcome.status, outcome.stderr).toBe(3)
    expect(report.stores.map(({ store, error }) => [store, error])).toEqual(
      profiles.map(profile => [profile, undefined]),
    )
  })

  describe.each(named.map(name => [name, MET[name]] as const))(
    'an API with %s',
    (profile, [end, code]) => {
      const store = named.indexOf(profile)
      const done = () => report.stores[store]!.streams

      test('is met without loss or an endless loop: what is called proven holds every row', async () => {
        for (const { stream, windows, records, requests } of done()) {
          expect(requests, stream).toBeLessThan(REQUESTS_AT_MOST)
          if (windows.unproven > 0) continue
          const rows = held(profile, stream)
          const missing = (await thereThroughout(sandboxes[store]!, stream)).filter(
            id => !rows.has(id),
          )
          // A record that no table can take is kept aside, under its id or, if it has none, under a
          // hash.
          expect(missing.length, `${stream} is proven, and lost`).toBeLessThanOrEqual(
            records.deadLettered,
          )
        }
      })

      test(`is ${end === 'either' ? 'proven or not' : end}, and says ${code ?? 'nothing that would be wrong'}`, () => {
        const unproven = done().filter(({ windows }) => windows.unproven > 0)
        if (end !== 'either')
          expect(
            unproven.length > 0,
            JSON.stringify(done().map(({ stream, windows }) => [stream, windows])),
          ).toBe(end === 'unproven')
        if (code !== undefined)
          expect(done().flatMap(({ findings }) => findings.map(finding => finding.code))).toContain(
            code,
          )
        else if (end === 'proven') expect(done().flatMap(({ findings }) => findings)).toEqual([])
        // Each unproven window names its reason in the ledger.
        const reasons = project.query(
          `SELECT stream, evidence ->> 'reason' FROM windows WHERE store_id = '${profile}' AND status = 'unproven'`,
        ) as [string, string | null][]
        for (const { stream } of unproven)
          expect(
            reasons.filter(([name, reason]) => name === stream && reason !== null && reason !== ''),
            stream,
          ).not.toEqual([])
      })
    },
  )

  test('is what the README of the sandbox asks of any pipeline', () => {
    const readme = readFileSync(new URL('../../sandbox/README.md', import.meta.url), 'utf8')
    for (const [profile, [end]] of Object.entries(MET)) {
      const asked = readme
        .split('\n')
        .find(line => line.startsWith(`| \`${profile}\` |`))
        ?.split(' | ')
        .at(-1)
      if (end === 'unproven') expect(asked, profile).toMatch(/^not complete/)
      else expect(asked, profile).toMatch(end === 'proven' ? /^(complete|the same)/ : /^either/)
    }
  })

  test('a reader that trusts what it gets would lose rows to these, so there is something to lose', async () => {
    for (const profile of ['offset-ignored', 'empty-middle'] as const) {
      const sandbox = sandboxes[profiles.indexOf(profile)]!
      expect((await truthOf(sandbox, 'members')).size).toBeGreaterThan(
        held(profile, 'members').size,
      )
    }
  })
}
