import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { stringify } from 'yaml'
import { loadConfig } from '../../config.ts'
import type { Config } from '../../config.ts'
import { UsageError } from '../../errors.ts'
import type { SandboxFacts } from './sandbox.ts'

/** The first words of a configuration that the demo wrote. */
const SIGNATURE = '# Written by the demo'
/** What each demo begins anew. */
const DATA = ['tillage.db', 'tillage.db-wal', 'tillage.db-shm', 'exports', 'push']

/** Only what the demo itself wrote is removed; throws a UsageError where something else stands. */
export function refuseForeignFolder(folder: string): void {
  const root = resolve(folder)
  const configFile = resolve(root, 'tillage.yaml')
  if (existsSync(configFile) && readFileSync(configFile, 'utf8').startsWith(SIGNATURE)) return
  const foreign = ['tillage.yaml', ...DATA].find(name => existsSync(resolve(root, name)))
  if (foreign === undefined) return
  throw new UsageError(
    `${folder} holds ${foreign}, which no demo wrote; the demo would replace it`,
    'Nothing was touched. Name an empty folder: --folder DIR; ' +
      'without it, the demo lives in tillage-data/demo.',
  )
}

/** Each demo starts anew; Temporal keeps its history, as it would on a real machine. */
export function prepareFolder(root: string, facts: SandboxFacts): Config {
  mkdirSync(root, { recursive: true })
  for (const name of DATA) rmSync(resolve(root, name), { recursive: true, force: true })
  const configFile = resolve(root, 'tillage.yaml')
  writeFileSync(configFile, configText(facts))
  return loadConfig(configFile)
}

function configText({ baseUrl, partnerKey, stores }: SandboxFacts): string {
  const body = {
    stores: stores.map(({ id, timeZone, developerKey }) => ({
      id,
      baseUrl,
      partnerKey,
      developerKey,
      timeZone,
    })),
    database: './tillage.db',
    exports: './exports',
    temporal: 'embedded',
  }
  const remark = `the keys are the sandbox's. A real file takes them from the environment: \${NAME}.`
  return `${SIGNATURE}; ${remark}\n${stringify(body)}`
}
