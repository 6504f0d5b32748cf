import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databaseFiles } from '../../disk.ts'
import { startSandbox } from '../../sandbox/server.ts'
import type { Sandbox } from '../../sandbox/server.ts'
import { blocksOf, callOf, commandsIn } from '../helpers/blocks.ts'
import type { Block } from '../helpers/blocks.ts'
import { Project } from '../helpers/project.ts'

const root = new URL('../../', import.meta.url)
const read = (file: string): string => readFileSync(new URL(file, root), 'utf8')
const pages = ['README.md', ...globSync('docs/*.md', { cwd: root.pathname }).toSorted()]
// What docs/commands.md shows are notes of the help, which docs.test.ts compares with the code.
const blocks = pages
  .filter(file => file !== 'docs/commands.md')
  .flatMap(file => blocksOf(file, read(file)))

/** Blocks of the README, which has no room for remarks, and the tests that run them. */
const RUN_ELSEWHERE: Readonly<Record<string, string>> = {
  'npm ci && npm run demo': 'machine.test.ts',
  'npm ci && npm test': '.ci/run',
  'npm run -s tillage -- init --url https://partner.example --store downtown': 'below',
}

/** Languages whose blocks are tested as what they are: settings, queries, and a file of figures. */
const NO_COMMANDS = ['yaml', 'json', 'sql', 'csv']

const isRunHere = ({ language, text, notRun }: Block): boolean =>
  language === 'sh' && notRun === undefined && RUN_ELSEWHERE[text.trim()] === undefined

/**
 * Times and hashes are others each time, and how many rows a window took depends on when the zone
 * is known.
 */
const masked = (text: string): string =>
  text
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d[\d:.]*Z?/g, 'TIME')
    .replaceAll(/\b[0-9a-f]{64}\b/g, 'HASH')
    .replaceAll(/(?<=\bproven) +\d+/g, ' ROWS')
    .trimEnd()

describe('what the documents say to type', () => {
  let sandbox: Sandbox
  const project = new Project()
  /** What was printed so far: the names that a reader would put in the place of those shown. */
  let printed = ''
  const lastOf = (pattern: RegExp): string => [...printed.matchAll(pattern)].at(-1)![1]!
  beforeAll(async () => {
    // Its example is about October 2026.
    sandbox = await startSandbox({
      stores: 1,
      days: 34,
      until: '2026-11-03',
      transactionsPerDay: 20,
    })
    const yaml = blocks.find(({ language, text }) => language === 'yaml' && /^stores:/m.test(text))
    writeFileSync(
      join(project.folder, 'tillage.yaml'),
      yaml!.text.replace('https://partner.example', sandbox.baseUrl),
    )
    writeFileSync(join(project.folder, 'vendor.json'), '{"name":"New Farms"}')
    mkdirSync(join(project.folder, 'backup'))
    project.environment = {
      TILLAGE_PARTNER_KEY: sandbox.partnerKey,
      TILLAGE_DOWNTOWN_KEY: sandbox.stores[0]!.developerKey,
    }
  })
  afterAll(async () => {
    await project.remove()
    await sandbox.close()
  })

  const member = (): string => (project.query('SELECT max(id) FROM members') as string[][])[0]![0]!
  /** The same command about what is there, as a reader would type it. */
  function asReader(command: string): string {
    const put: [RegExp, () => string][] = [
      [/\bMANIFEST\b/, () => lastOf(/manifest: (\S+)/g)],
      [/\bPL-\d{8}-[0-9a-f]{8}\b/, () => lastOf(/Plan (PL-\d{8}-[0-9a-f]{8})/g)],
      [/\bMEMBER\b|(?<=memberId=)\.{3}/, member],
      [/\/backup\b/g, () => join(project.folder, 'backup')],
    ]
    return put.reduce(
      (text, [shown, real]) => (shown.test(text) ? text.replace(shown, real()) : text),
      command,
    )
  }

  /** What a person does between the commands that are shown. */
  function byHand(command: string): void {
    if (command.includes(' push plan ')) raisePrice(join(project.folder, 'products_downtown.csv'))
    // A restore is for a machine whose database is gone.
    if (command.includes(' restore '))
      for (const file of databaseFiles(join(project.folder, 'tillage-data/tillage.db')))
        rmSync(file, { force: true })
  }

  function raisePrice(file: string): void {
    const [head, first, ...rest] = readFileSync(file, 'utf8').split('\n')
    const at = head!.split(',').indexOf('unit_price')
    const cells = first!.split(',')
    cells[at] = (Number(cells[at]) * 1.05).toFixed(2)
    writeFileSync(file, [head, cells.join(','), ...rest].join('\n'))
  }

  async function runLine(command: string): Promise<string> {
    byHand(command)
    const typed = asReader(command)
    const call = callOf(typed)
    if (call === undefined)
      return execFileSync('sh', ['-c', typed], { cwd: project.folder, encoding: 'utf8' })
    const { status, stdout, stderr } = await project.run(...call)
    expect([typed, status, stderr]).toEqual([typed, 0, expect.anything()])
    expect(stderr).not.toContain('NOT_PROVEN')
    return stdout
  }

  test.each(blocks.filter(isRunHere))('$file: $text', async block => {
    let output = ''
    for (const command of commandsIn(block)) {
      const said = await runLine(command)
      output += said
      printed += said
    }
    if (block.output !== undefined) expect(masked(output)).toContain(masked(block.output))
  })

  test('a closing report agrees with the day that it is shown for', async () => {
    const { text } = blocks.find(({ language }) => language === 'csv')!
    writeFileSync(join(project.folder, 'closing.csv'), text)
    const call = ['journal', '--date', '2026-10-31', '--dry-run', '--closing', 'closing.csv']
    const { status, stdout } = await project.run(...call)
    expect(stdout.match(/closing \S+ .* ok$/gm)).toHaveLength(3)
    expect(status).toBe(0)
  })

  test('is followed by queries that find what was read', async () => {
    const queries = [...read('docs/data.md').matchAll(/^```sql( duckdb)?\n(.*?)^```/gms)]
    expect(queries.length).toBeGreaterThan(4)
    const duck = await (await DuckDBInstance.create()).connect()
    for (const [, inFiles, sql] of queries) {
      const here = sql!.replaceAll('tillage-data', join(project.folder, 'tillage-data'))
      const rows =
        inFiles === undefined ? project.query(sql!) : (await duck.runAndReadAll(here)).getRows()
      expect([sql, rows.length > 0]).toEqual([sql, true])
    }
    duck.closeSync()
  })

  test('is all of it, but for what says why not', () => {
    const untold = blocks.filter(
      block =>
        !isRunHere(block) &&
        block.notRun === undefined &&
        !NO_COMMANDS.includes(block.language) &&
        RUN_ELSEWHERE[block.text.trim()] === undefined &&
        // The demo's output has a comment that says which test compares it.
        !(block.file === 'README.md' && block.language === 'text'),
    )
    expect(untold).toEqual([])
    expect(blocks.filter(isRunHere).length).toBeGreaterThan(8)
    expect(blocks.filter(({ output }) => output !== undefined).length).toBeGreaterThan(2)
    const [shown] = blocksOf('a.md', '<!-- not run: no -->\n\n```sh\na\n```\n\n```text\nb\n```\n')
    expect(shown).toMatchObject({ notRun: 'no', text: 'a\n', output: 'b\n' })
  })
})

describe('init', () => {
  test('writes what the API says of the store, overwrites nothing, and tells what keys are missing', async () => {
    const sandbox = await startSandbox({ stores: 1, days: 1 })
    const project = new Project()
    const init = ['init', '--json', '--url', sandbox.baseUrl, '--store', 'downtown']
    try {
      const keyless = await project.run(...init)
      expect(keyless.status).toBe(3)
      expect(JSON.parse(keyless.stdout)).toMatchObject({
        store: null,
        problems: [
          '${TILLAGE_PARTNER_KEY} is not set in the environment',
          '${TILLAGE_DOWNTOWN_KEY} is not set in the environment',
        ],
      })
      const again = await project.run(...init)
      expect(again.status).toBe(2)
      expect(JSON.parse(again.stdout)).toMatchObject({
        error: { message: expect.stringContaining('nothing was written') as string },
      })
      project.environment = {
        TILLAGE_PARTNER_KEY: sandbox.partnerKey,
        TILLAGE_DOWNTOWN_KEY: sandbox.stores[0]!.developerKey,
      }
      const known = await project.run(...init, '--config', 'other.yaml')
      expect(known.status).toBe(0)
      const text = readFileSync(join(project.folder, 'other.yaml'), 'utf8')
      expect(text).toContain(`timeZone: ${sandbox.stores[0]!.timeZone}`)
      expect(text).toContain(sandbox.stores[0]!.name)
      expect(text).not.toContain(sandbox.partnerKey)
      const unknown = { ...project.environment, TILLAGE_PARTNER_KEY: 'wrong' }
      project.environment = unknown
      const refused = await project.run(...init, '--config', 'refused.yaml')
      expect(refused.status).toBe(1)
      expect(refused.stderr).toContain('PARTNER_KEYS')
      expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: 'PARTNER_KEYS' } })
    } finally {
      await project.remove()
      await sandbox.close()
    }
  })

  test('names what it needs where nobody can be asked', async () => {
    const project = new Project()
    try {
      const { status, stderr } = await project.run('init')
      expect(status).toBe(2)
      expect(stderr).toContain('tillage init --url https://partner.example --store downtown')
      expect(project.files()).toEqual([])
    } finally {
      await project.remove()
    }
  })
})
