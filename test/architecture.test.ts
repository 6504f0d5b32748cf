import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../commands/index.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import { files, read } from './architecture/files.ts'
import { findBreaches, ROWS } from './architecture/house.ts'
import { readImports, withoutComments } from './architecture/imports.ts'

const shipped = files.filter(file => !/^(test|bench|tools)\//.test(file))

/** Breaches that are meant, each with its reason. One that is gone must leave this list. */
const MEANT: Readonly<Record<string, string>> = {
  'commands/demo/folder.ts (commands) imports ./config.ts':
    'the demo writes a configuration and reads it back as it does with one of a user',
}

const isOurs = (target: string): boolean => target.startsWith('./')

/** One import that must be reported, at least, for every row of the table. */
const FORBIDDEN: readonly (readonly [file: string, source: string])[] = [
  ['console/settings.ts', "import './server.ts'"],
  ['console/pages/today.ts', "import { openStore } from '../../temporal/session.ts'"],
  ['metrics/gather.ts', "import { openDestination } from '../connectors/sqlite/destination.ts'"],
  ['backup/make-backup.ts', "import { loadConfig } from '../config.ts'"],
  ['record-act.ts', "import { loadConfig } from './config.ts'"],
  ['listen.ts', "import { loadConfig } from './config.ts'"],
  ['objects/put.ts', "import { runExport } from '../exports/run-export.ts'"],
  ['log/log.ts', "import { loadConfig } from '../config.ts'"],
  ['webhooks/serve.ts', "import { readHints } from '../activities/read-hints.ts'"],
  ['closing.ts', "import { TillageError } from './errors.ts'"],
  ['error-codes.ts', "import { TillageError } from './errors.ts'"],
  ['errors.ts', "import { z } from './calendar/days.ts'"],
  ['sha256.ts', "import { sha256OfFile } from './disk.ts'"],
  ['disk.ts', "import { openConnection } from './connectors/sqlite/connection/open-connection.ts'"],
  ['connectors/answer/json-text.ts', "import { createClient } from '../partner/client.ts'"],
  ['money/amount.ts', "import { parseRecord } from '../text/record-fields.ts'"],
  ['text/write-csv.ts', "import { csv } from '../exports/formats/csv.ts'"],
  ['this-machine.ts', "import { listenOn } from './listen.ts'"],
  ['connectors/server-address.ts', "import { Pool } from 'pg'"],
  [
    'connectors/local/key-shares.ts',
    "import { kyselyOn } from '../sqlite/connection/query-builder.ts'",
  ],
  ['secrets.ts', "import type { Config } from './config.ts'"],
  ['file-lock.ts', "import { Limits } from './config/schema.ts'"],
  ['secret-setting.ts', "import { configSchema } from './config/schema.ts'"],
  ['config.ts', "import { streams } from './connectors/partner/streams/index.ts'"],
  [
    'connectors/postgres/connection/query-builder.ts',
    "import { openConnection } from '../../sqlite/connection/open-connection.ts'",
  ],
  ['connectors/sql/outbound.ts', "import Sqlite from 'better-sqlite3'"],
  ['connectors/copy/copy-rows.ts', "import { Pool } from 'pg'"],
  ['notify/decide.ts', "import { openDestination } from '../connectors/database.ts'"],
  ['config/schema.ts', "import { loadConfig } from '../config.ts'"],
  ['names.ts', "import { isDay } from './calendar/days.ts'"],
  ['version.ts', "import { UsageError } from './errors.ts'"],
  [
    'schedules/rules/night.ts',
    "import { openDestination } from '../../connectors/sqlite/destination.ts'",
  ],
  ['schedules/apply-schedules.ts', "import { startWorker } from '../worker.ts'"],
  ['books/export-store.ts', "import { formatTable } from '../commands/terminal/terminal.ts'"],
  ['calendar/windows.ts', "import { TillageError } from '../errors.ts'"],
  ['connectors/stream.ts', "import { readFileSync } from 'node:fs'"],
  ['calendar/windows.ts', "import { defineStream } from '../connectors/stream.ts'"],
  ['connectors/partner/streams/members.ts', "import { createPartnerClient } from '../client.ts'"],
  ['connectors/partner/streams/members.ts', "import { join } from 'node:path'"],
  ['connectors/partner/contract/members.ts', "import type { Governor } from '../governor.ts'"],
  ['connectors/partner/client.ts', "import type { Schema } from '../sql/schema.ts'"],
  ['connectors/partner/client.ts', "import { heartbeat } from '@temporalio/activity'"],
  ['connectors/staged/stage-records.ts', "import type { Schema } from '../sql/schema.ts'"],
  [
    'connectors/people/forgotten.ts',
    "import { openConnection } from '../sqlite/connection/open-connection.ts'",
  ],
  ['connectors/store/open-store.ts', "import { openDestination } from '../sqlite/destination.ts'"],
  ['connectors/destination/rows.ts', "import type { Schema } from '../sql/schema.ts'"],
  ['connectors/sql/window/commit-window.ts', "import { judge } from '../../../reading/prove.ts'"],
  ['connectors/sqlite/writer/window-store.ts', "import type { Config } from '../../../config.ts'"],
  ['exports/formats/csv.ts', "import { streams } from '../../connectors/partner/streams/index.ts'"],
  ['exports/formats/csv.ts', "import { migrate } from '../../connectors/sqlite/schema/migrate.ts'"],
  ['exports/formats/csv.ts', "import { Client } from '@temporalio/client'"],
  [
    'reading/prove-window.ts',
    "import { openDestination } from '../connectors/sqlite/destination.ts'",
  ],
  ['reading/prove-window.ts', "import { heartbeat } from '@temporalio/activity'"],
  ['activities/sync-window.ts', "import { sql } from 'kysely'"],
  ['activities/sync-window.ts', "import { readLedger } from '../connectors/sql/ledger.ts'"],
  ['activities/sync-window.ts', "import { loadConfig } from '../config.ts'"],
  [
    'activities/sync-window.ts',
    "import type { SyncStreamInput } from '../workflows/sync-stream.ts'",
  ],
  ['activities/sync-window.ts', "import { Worker } from '@temporalio/worker'"],
  ['workflows/sync-stream.ts', "import { syncWindow } from '../activities/sync-window.ts'"],
  ['workflows/sync-stream.ts', "import { type ErrorCode } from '../errors.ts'"],
  ['workflows/sync-stream.ts', "import { createHash } from 'node:crypto'"],
  ['workflows/sync-stream.ts', "import { z } from 'zod'"],
  ['workflows/sync-stream.ts', "export * from '../calendar/days.ts'"],
  ['workflows/sync-stream.ts', "const { tile } = await import('../calendar/windows.ts')"],
  ['audit/take-snapshot.ts', "import { checkDay } from '../activities/check-day.ts'"],
  ['outbound/send.ts', "import { createPartnerClient } from '../connectors/partner/client.ts'"],
  ['audit/make-report.ts', "import type { CountFiles } from '../reconcile/make-plan.ts'"],
  ['reconcile/post.ts', "import { checkDay } from '../activities/check-day.ts'"],
  ['tables/csv.ts', "import { checkQuantity } from '../reconcile/check-cells.ts'"],
  ['documents/document.ts', "import { localMinute } from '../calendar/clock.ts'"],
  ['sandbox/http/app.ts', "import { readPass } from '../../reading/read-window.ts'"],
  ['sandbox/http/app.ts', "import type { Verdict } from '../../reading/prove.ts'"],
  [
    'push/plan/diff.ts',
    "import { openOutboundStore } from '../../connectors/sqlite/tables/outbound.ts'",
  ],
  ['temporal/server/keeper.ts', "import { startWorker } from '../../worker.ts'"],
  ['commands/sync.ts', "import { loadConfig } from '../config.ts'"],
  ['commands/sync.ts', "import { openReadOnly } from '../connectors/sqlite/read-only.ts'"],
  ['books/month.ts', "import type { Schema } from '../connectors/sql/schema.ts'"],
  ['worker.ts', "import { openDestination } from './connectors/sqlite/destination.ts'"],
  ['temporal/session.ts', "import type { Writer } from '../connectors/sqlite/writer/writer.ts'"],
  [
    'audit/take-snapshot.ts',
    "import { openConnection } from '../connectors/sqlite/connection/open-connection.ts'",
  ],
  ['connectors/database.ts', "import { lookUp } from './partner/look-up.ts'"],
  ['bin/tillage.ts', "import { Command } from 'commander'"],
  ['somewhere/new.ts', ''],
  ['standing/judge-runs.ts', "import { up } from '../commands/up.ts'"],
]

/** Packages that are loaded with a file, by whatever it imports. */
function packagesOf(file: string): string[] {
  const reached = new Set([`./${file}`])
  for (const target of reached)
    if (isOurs(target))
      for (const { target: next, typeOnly } of readImports(target.slice(2), read(target.slice(2))))
        if (!typeOnly) reached.add(next)
  return [...reached].filter(target => !isOurs(target) && !target.startsWith('node:')).sort()
}

describe('who may import whom', () => {
  it('holds for every file', () => {
    const breaches = files.flatMap(file => findBreaches(file, read(file)))
    expect(breaches.filter(breach => !(breach in MEANT))).toEqual([])
    expect(
      Object.keys(MEANT).filter(meant => !breaches.includes(meant)),
      'no longer breached, so no longer listed',
    ).toEqual([])
  })

  it.each(FORBIDDEN)('reports, in %s: %s', (file, source) => {
    expect(findBreaches(file, source)).toHaveLength(1)
  })

  it('has tried a forbidden import on every row that forbids something', () => {
    const untried = ROWS.filter(
      ({ files: fits }) =>
        !FORBIDDEN.some(([file]) => ROWS.find(row => row.files.test(file))?.files === fits),
    )
    expect(untried.map(({ part }) => part)).toEqual(['tests and tools'])
    expect(findBreaches('worker.ts', "import './config.ts'")).toEqual([])
  })

  it('has one way to a client with keys, which asks first whose shop they stand for (INV-13)', () => {
    const client = './connectors/partner/client.ts'
    const makers = files.filter(
      file =>
        !/^(test|bench|tools)\//.test(file) &&
        readImports(file, read(file)).some(
          ({ target, typeOnly }) => target === client && !typeOnly,
        ),
    )
    expect(makers).toEqual([
      // Reads alone without asking, and keeps nothing.
      'commands/api.ts',
      // Asks who a new store is.
      'commands/init.ts',
      'connectors/store/open-store.ts',
    ])
  })

  it('takes the sha256 of a whole in one place, and of what comes in pieces where it comes', () => {
    const takesWhole = (source: string): boolean =>
      /\bhash\(\s*'sha256'|createHash\([^)]*\)\s*\./.test(source)
    expect(shipped.filter(file => takesWhole(read(file)))).toEqual(['sha256.ts'])
    // The twin: both ways of Node are found, however they are broken into lines.
    const ways = ["hash('sha256', text)", "createHash('sha256')\n  .update(text)\n  .digest('hex')"]
    expect(ways.filter(takesWhole)).toEqual(ways)
  })

  it('has a writing thread that loads SQLite and hardly anything else: each library is megabytes', () => {
    expect(packagesOf('connectors/sqlite/writer/writer-thread.ts')).toEqual([
      'better-sqlite3',
      // A few hundred lines: transactions of a connection, one after another.
      'p-limit',
    ])
    expect(packagesOf('connectors/sqlite/destination.ts')).toContain('kysely')
  })

  it('names files that are there', () => {
    expect(ROWS.filter(row => !files.some(file => row.files.test(file)))).toEqual([])
    const tried = FORBIDDEN.filter(([, source]) => source !== '').flatMap(([file, source]) => [
      `./${file}`,
      ...readImports(file, source).map(({ target }) => target),
    ])
    expect(tried.filter(isOurs).filter(path => !files.includes(path.slice(2)))).toEqual([])
  })

  it('reads every way to import, load or start a file', () => {
    const source = `
import 'side-effect'
import type { A } from './a.ts'
import { type B, c } from '../b.ts'
import D, {
  type E,
} from 'd'
export type { F } from './f.ts'
export * from './g.ts'
// import { no } from 'line-comment'
/** import { no } from 'block-comment' */
const h = await import('./h.ts')
new Worker(new URL(\`./thread\${extension}\`, import.meta.url))
new URL('./keeper.ts', import.meta.url)
new URL('https://partner.example/keys')
const type = 'import'
`
    expect(readImports('one/two/file.ts', source)).toEqual([
      { target: 'side-effect', typeOnly: false },
      { target: './one/two/a.ts', typeOnly: true },
      { target: './one/b.ts', typeOnly: false },
      { target: 'd', typeOnly: false },
      { target: './one/two/f.ts', typeOnly: true },
      { target: './one/two/g.ts', typeOnly: false },
      { target: './one/two/h.ts', typeOnly: false },
      { target: './one/two/thread.ts', typeOnly: false },
      { target: './one/two/keeper.ts', typeOnly: false },
    ])
  })
})

describe('the names of files', () => {
  const findVague = (file: string): string[] =>
    file
      .split('/')
      .filter(
        part =>
          /^(utils?|helpers?|common|managers?|misc|shared)(\.|$)/.test(part) &&
          !file.startsWith('test/'),
      )

  it('has no drawer for odds and ends', () => {
    expect(files.flatMap(findVague)).toEqual([])
    expect(
      [
        'exports/utils.ts',
        'commands/helpers/x.ts',
        'commands/common.ts',
        'sandbox/manager.ts',
      ].flatMap(findVague),
    ).toHaveLength(4)
    expect(findVague('test/helpers/sandbox.ts')).toEqual([])
  })

  it('names a file in commands/ as its command, and has one for each', () => {
    const beside = ['command', 'help', 'index']
    const own = files.flatMap(file => /^commands\/([^/]+)\.ts$/.exec(file)?.slice(1) ?? [])
    expect(own.toSorted()).toEqual([...COMMANDS.map(({ name }) => name), ...beside].toSorted())
  })

  it('names files in kebab-case', () => {
    const odd = (names: readonly string[]): string[] =>
      names.filter(file => !/^([a-z0-9-]+\/)*[a-z0-9-]+(\.test|\.config)?\.ts$/.test(file))
    expect(odd(files)).toEqual([])
    expect(odd(['exports/runExport.ts', 'exports/run_export.ts'])).toHaveLength(2)
  })
})

describe('what belongs in one place', () => {
  /**
   * Files that may name a stream, each with its reason. The contract and the sandbox name the lists
   * of the API, whether we declare a stream for them or not.
   */
  const NAMING_STREAMS: Readonly<Record<string, string>> = {
    'commands/index.ts': 'a command is called like the list that it changes: webhooks',
    'console/actions/operations.ts': 'shows commands that are called like that list: webhooks',
    'webhooks/receiver.ts': 'names its section of tillage.yaml, which is called like that list',
    'exports/sales/references.ts':
      'the one list of what transactions refer to, by the stream that holds it',
    'exports/sales/catalog.ts':
      'the books look up what a transaction refers to and does not carry: a product by its id, the cost of a lot',
  }
  // `store` is a word of its own, everywhere.
  const named = new RegExp(
    `(['"\`])(${streams
      .map(({ name }) => name)
      .filter(name => name !== 'store')
      .join('|')})\\1`,
  )
  const findNames = (file: string, source: string): string[] =>
    named.test(withoutComments(source)) &&
    // Pushes and audits are about these records by their names: files, columns and messages say
    // them.
    !/^(connectors\/partner\/(streams|contract)|sandbox|push|audit|reconcile)\//.test(file)
      ? [file]
      : []

  it('keeps the names of streams in their declarations', () => {
    const found = shipped.flatMap(file => findNames(file, read(file)))
    expect(found.filter(file => !(file in NAMING_STREAMS))).toEqual([])
    expect(
      Object.keys(NAMING_STREAMS).filter(file => !found.includes(file)),
      'no longer named there, so no longer listed',
    ).toEqual([])
  })

  it('reports a stream that is named elsewhere, in each kind of quotes', () => {
    for (const quote of ["'", '"', '`'])
      expect(
        findNames('activities/x.ts', `if (stream === ${quote}members${quote}) return`),
      ).toEqual(['activities/x.ts'])
    expect(
      findNames(
        'activities/x.ts',
        "// 'members' and words like members' cards\nconst membership = 'membership'",
      ),
    ).toEqual([])
  })

  const readsEnvironment = (file: string, source: string): boolean =>
    /\bprocess\.env\b/.test(withoutComments(source)) &&
    !/^(config\.ts|cli\.ts|notify\/channels\/command\.ts|console\/actions\/run-command\.ts|commands\/terminal\/started-as\.ts|temporal\/(cli\/find-cli|server\/join-server)\.ts)$/.test(
      file,
    )

  it('reads the environment in config.ts alone, with the exceptions that are listed', () => {
    expect(shipped.filter(file => readsEnvironment(file, read(file)))).toEqual([])
    expect(readsEnvironment('exports/formats/csv.ts', "const zone = process.env['TZ']")).toBe(true)
  })

  const impure = (source: string): boolean =>
    /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\brandomUUID\b|\bfrom 'node:(fs|http|net|timers|child_process)/.test(
      withoutComments(source),
    )
  const PURE = [
    /^connectors\/stream\.ts$/,
    /^(calendar|schedules|reading|connectors\/destination)\//,
    /^connectors\/partner\/(streams|contract)\//,
    /^connectors\/partner\/(read-page|read-rows|envelopes)\.ts$/,
    /^connectors\/sqlite\/schema\/stream-(tables|views)\.ts$/,
  ]
  const isPure = (file: string): boolean => PURE.some(pattern => pattern.test(file))

  it('keeps clocks, chance and files out of what is pure', () => {
    expect(PURE.filter(pattern => !files.some(file => pattern.test(file)))).toEqual([])
    expect(files.filter(file => isPure(file) && impure(read(file)))).toEqual([])
    expect(
      ['Date.now()', 'new Date()', "import { readFileSync } from 'node:fs'"].filter(impure),
    ).toHaveLength(3)
    expect(impure('new Date(ms)')).toBe(false)
  })
})
