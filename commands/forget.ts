import { peopleFiles } from '../books/people-files.ts'
import {
  actNow,
  openReadOnly,
  overwriteFreed,
  readSecret,
  withPeople,
} from '../connectors/database.ts'
import type { ForgottenTraces, PeopleToForget } from '../connectors/database.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import { members } from '../connectors/partner/streams/members.ts'
import { isPlaceOfMember } from '../connectors/personal-fields.ts'
import { UsageError } from '../errors.ts'
import { MEMBER_SECRET, memberKeyOf } from '../exports/sales/member-secret.ts'
import { chooseNames } from '../names.ts'
import { declareCommand, option } from './command.ts'
import type { Context } from './command.ts'
import { requireDatabase } from './database/require-database.ts'
import { countOf } from './terminal/number.ts'
import { oneLine } from './terminal/printable.ts'
import { formatTable } from './terminal/table.ts'

interface ForgetOptions {
  by: string
  reason: string
  store?: string
}

/** What was removed of somebody, and where it could not be. It names nobody. */
interface Certificate {
  at: string
  by: string
  reason: string
  stores: ({ store: string } & Pick<ForgottenTraces, 'tables' | 'left'>)[]
  /** Files with people that are still on the disk: given out, so they are not rewritten. */
  files: string[]
  /** Whether no freed page of the database holds anything of what was removed. */
  overwritten: boolean
}

/**
 * `tillage forget MEMBER --by NAME --reason TEXT`: takes every trace of a member's identity out of
 * the database, keeps the figures, and certifies it. A later sync does not bring it back.
 */
async function forget(
  { config, terminal }: Context,
  { by, reason, store }: ForgetOptions,
  member: string,
): Promise<number> {
  if (by.trim() === '' || reason.trim() === '')
    throw new UsageError('--by and --reason must say something', 'Who asked for it, and why.')
  if (member.trim() === '')
    throw new UsageError('the id of the member is empty; nothing was changed', WHICH_ID)
  await requireDatabase(config)
  const { stores, companies, files } = await findPlaces(config, store)
  terminal.progress(`looking through every record of ${stores.join(', ')}`)
  const { at } = actNow('forget', {})
  const order = { member, keyOf: await keyFinder(config), stores, companies }
  const decision = { at, by, reason, files }
  const done = await withPeople(config.database, streams, people =>
    forgetIn(people, { ...order, decision }),
  )
  terminal.progress('overwriting what was freed')
  const overwritten = await overwriteFreed(config.database)
  const certificate: Certificate = { at, by, reason, stores: done, files, overwritten }
  terminal.print(terminal.json ? JSON.stringify(certificate) : describe(certificate))
  return 0
}

interface ForgetOrder {
  member: string
  keyOf: ((id: string) => string) | undefined
  stores: readonly string[]
  companies: ReadonlyMap<string, string>
  decision: Pick<Certificate, 'at' | 'by' | 'reason' | 'files'>
}

/** All stores or none, with the entry of the audit log. */
async function forgetIn(
  people: PeopleToForget,
  { member, keyOf, stores, companies, decision }: ForgetOrder,
): Promise<Certificate['stores']> {
  const traces: (ForgottenTraces & { store: string })[] = []
  for (const store of stores)
    traces.push({ store, ...(await people.forget({ store, member, keyOf })) })
  const found = traces.filter(({ tables }) => tables.length > 0)
  if (found.length === 0) throw nobody(member, stores)
  const foundIn = found.map(({ store }) => store)
  refuseNamesakes(member, foundIn, companies)
  refuseOthers(member, [...new Set(found.flatMap(({ places }) => places))])
  const certificate = found.map(({ store, tables, left }) => ({ store, tables, left }))
  for (const { store, ids } of traces)
    await people.remember({
      store,
      ids,
      at: decision.at,
      certificate: JSON.stringify({ ...decision, stores: certificate }),
    })
  const { by, reason } = decision
  await people.note(actNow('forget', { stores, by, reason }))
  return certificate
}

/** Where there is no secret yet, no key was made of anybody. */
async function keyFinder(config: Context['config']): Promise<((id: string) => string) | undefined> {
  const secret = await readSecret(config, MEMBER_SECRET)
  return secret === undefined ? undefined : id => memberKeyOf(id, secret)
}

const nobody = (member: string, stores: readonly string[]): UsageError =>
  new UsageError(
    `there is no trace of a member ${oneLine(member)} in ${stores.join(', ')}; ` +
      'nothing was changed',
    WHICH_ID,
  )

const WHICH_ID = 'Give the id of the member, as in the column id of members.'

/**
 * Members are of a company: under one id, two companies have two people. What a store does not tell
 * of its company cannot differ.
 */
function refuseNamesakes(
  member: string,
  stores: readonly string[],
  companies: ReadonlyMap<string, string>,
): void {
  const named = stores.flatMap(store => companies.get(store) ?? [])
  if (new Set(named).size < 2) return
  throw new UsageError(
    `${oneLine(member)} is in ${stores.join(', ')}, which are stores of several companies, ` +
      'so these may be several people; nothing was changed',
    `Name the store: tillage forget ${oneLine(member)} --store ${stores[0]!} --by NAME --reason TEXT`,
  )
}

/** What is forgotten is gone for good, and kept out from then on: nothing but a member is. */
function refuseOthers(member: string, places: readonly string[]): void {
  const whose = places.map(place => place.split(' ') as [stream: string, place: string])
  const isOfMember = whose.some(
    ([stream, place]) => isPlaceOfMember(place) || (stream === members.name && place === 'id'),
  )
  if (!isOfMember)
    throw new UsageError(
      `${oneLine(member)} is not the id of a member: it is an id in ${places.join(', ')}; ` +
        'nothing was changed',
      WHICH_ID,
    )
  const others = whose.filter(([stream, place]) => stream !== members.name && place === 'id')
  if (others.length > 0)
    throw new UsageError(
      `${oneLine(member)} is the id of a member, and of a record of ` +
        `${others.map(([stream]) => stream).join(', ')}, which would go with it; ` +
        'nothing was changed',
      'The API gives one id to several records. Ask its provider for the member to be removed there.',
    )
}

/** Stores that are no longer in tillage.yaml still have their rows. */
async function findPlaces(
  config: Context['config'],
  store: string | undefined,
): Promise<{ stores: string[]; companies: Map<string, string>; files: string[] }> {
  await using database = await openReadOnly(config, streams)
  const known = await database.stores.all()
  const all = [...new Set([...config.stores, ...known].map(({ id }) => id))]
  const companies = new Map(
    known.flatMap(({ id, companyId }) => (companyId === undefined ? [] : [[id, companyId]])),
  )
  const stores = store === undefined ? all : chooseNames('store', [store], all)
  const others = all.filter(one => !stores.includes(one))
  return {
    stores,
    companies,
    files: await peopleFiles(database.givenOut, config, others),
  }
}

function describe({ at, by, reason, stores, files, overwritten }: Certificate): string {
  const rows = stores.flatMap(({ store, tables }) =>
    tables.map(({ table, removed, changed }) => [store, table, removed, changed] as const),
  )
  const left = stores.flatMap(({ store, left: places }) =>
    places.map(({ table, rows: count }) => `  ${store}: ${countOf(count, 'row')} of ${table}`),
  )
  return [
    oneLine(`Forgotten at ${at} by ${by}: ${reason}`),
    '',
    formatTable(['store', 'table', 'removed', 'changed'], rows),
    '',
    'Figures stay, under the id "forgotten", which identifies nobody. ' +
      'A later sync brings nothing back.',
    ...(left.length === 0
      ? []
      : ['', 'The id stays in files that are evidence of their day:', ...left]),
    ...(overwritten
      ? []
      : [
          '',
          'Pages that were freed earlier could not be overwritten, ' +
            'since another process reads the database, or its tables belong to another role: ' +
            'run it again.',
        ]),
    '',
    files.length === 0
      ? 'No file with people is on this disk.'
      : 'Files with people that were given out, and are to be deleted by whoever has them:',
    ...files.map(path => `  ${path}`),
    'Not looked at: backups, copies that were given on, and the API itself.',
  ].join('\n')
}

export const command = declareCommand<ForgetOptions, [string]>({
  takes: '<member>',
  options: [
    option('--by <name>', 'who asked for it').makeOptionMandatory(),
    option('--reason <text>', 'why').makeOptionMandatory(),
  ],
  notes: 'MEMBER is the id of the API. May run beside up; looks at every record of the stores.',
  run: forget,
})
