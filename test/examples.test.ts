import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, describe, expect, it } from 'vitest'
import type { AnyCommand } from '../commands/command.ts'
import { COMMANDS } from '../commands/index.ts'
import { loadConfig } from '../config.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import { migrate } from '../connectors/sqlite/schema/migrate.ts'
import { hashPassword } from '../console/password-hash.ts'

const root = resolve(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'tillage-examples-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Example {
  file: string
  text: string
}

/** The code blocks of one language in every document for users. */
const examples = (language: string): Example[] =>
  globSync(['README.md', 'docs/*.md'], { cwd: root }).flatMap(file =>
    [
      ...readFileSync(join(root, file), 'utf8').matchAll(
        new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'),
      ),
    ].map(([, text]) => ({ file, text: text! })),
  )

const CALL = /^(?:npm run -s tillage --|npx tillage|tillage) (.*?)(?:\s+#.*)?$/
const calls = examples('sh').flatMap(({ file, text }) =>
  text
    .split('\n')
    .flatMap(line => CALL.exec(line)?.[1] ?? [])
    .map(call => ({ file, call })),
)

async function findCommand(words: readonly string[]): Promise<AnyCommand | undefined> {
  const loaded = await COMMANDS.find(({ name }) => name === words[0])?.load()
  if (loaded === undefined || !('subcommands' in loaded)) return loaded
  return loaded.subcommands.find(({ name }) => name === words[1])?.command
}

// A hash is made slow on purpose, and of one person it is as good as of another.
const PASSWORD_HASH = await hashPassword('a password of Dana and Kim')

/** Rights of keys, as Amazon writes them. */
interface Policy {
  Statement: { Action: string | string[] }[]
}

const GLOBAL = ['--config', '--json', '--store', '--help', '--version']

/** What of a call the program would not understand. */
async function findMistakes(call: string): Promise<string[]> {
  const words = call.split(/\s+/)
  const command = await findCommand(words)
  if (command === undefined) return [`${words[0]} ${words[1] ?? ''} is no command`]
  const known = [...GLOBAL, ...(command.options ?? []).flatMap(({ long }) => long ?? [])]
  return words
    .filter(word => word.startsWith('--') && !known.includes(word))
    .map(flag => `${words[0]} has no ${flag}`)
}

describe('what the documents show', () => {
  it.each(calls)('$file: $call', async ({ call }) => {
    expect(await findMistakes(call)).toEqual([])
  })

  it.each(examples('yaml'))('$file: settings that are read: $text', ({ text }) => {
    const file = join(folder, 'tillage.yaml')
    const store = (id: string): string =>
      `{ id: ${id}, baseUrl: https://partner.example, partnerKey: p, developerKey: ${id} }`
    const stores = `stores: [${store('downtown')}, ${store('harbor')}]`
    const approvers = 'reconcile: { approvers: [{ name: Ana, role: manager }] }'
    mkdirSync(join(folder, 'stores'), { recursive: true })
    writeFileSync(join(folder, 'stores', 'downtown.yaml'), store('downtown'))
    const parts = [
      ...(/^stores:/m.test(text) ? [] : [stores]),
      ...(/^schedules:/m.test(text) && !/^reconcile:/m.test(text) ? [approvers] : []),
    ]
    writeFileSync(file, [...parts, text].join('\n'))
    const keys = {
      PGPASSWORD: 'p',
      TEMPORAL_API_KEY: 'k',
      TILLAGE_PARTNER_KEY: 'p',
      TILLAGE_DOWNTOWN_KEY: 'd',
      OPS_WEBHOOK: 'https://hooks.example/T/x',
      SMTP_PASSWORD: 'p',
      HEARTBEAT_URL: 'https://hc.example/abc',
      TILLAGE_DANA: PASSWORD_HASH,
      TILLAGE_KIM: PASSWORD_HASH,
    }
    expect(loadConfig(file, keys).stores.map(({ id }) => id)).toContain('downtown')
  })

  it('gives a bucket’s keys the rights that exports take, and no other', () => {
    const [policy, ...others] = examples('json').map(({ text }) => JSON.parse(text) as Policy)
    expect(others).toEqual([])
    expect(policy!.Statement.flatMap(({ Action }) => Action).toSorted()).toEqual([
      's3:AbortMultipartUpload',
      's3:GetObject',
      's3:ListBucket',
      's3:PutObject',
    ])
  })

  it('asks the tables that there are', async () => {
    const path = join(folder, 'tillage.db')
    await migrate(path, streams)
    const database = new Database(path, { readonly: true })
    // Those of docs/data.md are run on data, in test/end-to-end/documents.test.ts, and those of
    // docs/query.md are DuckDB's, in test/commands/query.test.ts; those about PostgreSQL are asked
    // in test/end-to-end/same-on-both.test.ts.
    const elsewhere = /(cluster|data|query|postgresql)\.md$/
    for (const { file, text } of examples('sql').filter(one => !elsewhere.test(one.file)))
      expect(() => database.prepare(text).all(), `${file}: ${text}`).not.toThrow()
    database.close()
  })

  it('is enough to be worth a look, and a mistake in it would be found', async () => {
    expect(calls.length).toBeGreaterThan(20)
    expect(await findMistakes('sync --form 2026-10-01')).toEqual(['sync has no --form'])
    expect(await findMistakes('schedule apple')).toEqual(['schedule apple is no command'])
    expect(await findMistakes('books close 2026-10 --by Ana')).toEqual([])
  })
})
