import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSandbox } from '../../sandbox/server.ts'
import type { Sandbox } from '../../sandbox/server.ts'
import { Project } from '../helpers/project.ts'

const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')

const DATA = readFileSync(new URL('../../docs/data.md', import.meta.url), 'utf8')

/** The code blocks of a language, in their order. */
const blocks = (language: string): string[] =>
  [...README.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(
    ([, text]) => text!,
  )

const CALL = /^npm run -s tillage -- /
const commandsOf = (block: string): string[][] =>
  block
    .split('\n')
    .filter(line => CALL.test(line))
    .map(line => line.replace(CALL, '').split(/\s+/))

describe('what the README says to type', () => {
  let sandbox: Sandbox
  const project = new Project()
  beforeAll(async () => {
    // Its example is about October 2026.
    sandbox = await startSandbox({
      stores: 1,
      days: 34,
      until: '2026-11-03',
      transactionsPerDay: 20,
    })
  })
  afterAll(async () => {
    await project.remove()
    await sandbox.close()
  })

  test('works with the configuration that it shows, each command after the other', async () => {
    const [yaml] = blocks('yaml').filter(text => text.includes('stores:'))
    const [store] = sandbox.stores
    writeFileSync(
      join(project.folder, 'tillage.yaml'),
      yaml!.replace('https://partner.example', sandbox.baseUrl),
    )
    project.environment = {
      TILLAGE_PARTNER_KEY: sandbox.partnerKey,
      TILLAGE_DOWNTOWN_KEY: store!.developerKey,
    }
    const [example] = blocks('sh')
      .map(commandsOf)
      .filter(commands => commands[0]?.[0] === 'sync')
    expect(example!.map(([name]) => name)).toEqual(['sync', 'coverage', 'export'])
    for (const args of example!) {
      const { status, stderr } = await project.run(...args)
      expect([args.join(' '), status, stderr]).toEqual([args.join(' '), 0, expect.anything()])
      expect(stderr).not.toContain('NOT_PROVEN')
    }
  })

  test('is followed by queries that find what was read', async () => {
    const blocks = [...DATA.matchAll(/^```sql( duckdb)?\n(.*?)^```/gms)]
    expect(blocks.length).toBeGreaterThan(4)
    const duck = await (await DuckDBInstance.create()).connect()
    for (const [, inFiles, sql] of blocks) {
      const here = sql!.replaceAll('tillage-data', join(project.folder, 'tillage-data'))
      const rows =
        inFiles === undefined ? project.query(sql!) : (await duck.runAndReadAll(here)).getRows()
      expect([sql, rows.length > 0]).toEqual([sql, true])
    }
    duck.closeSync()
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
