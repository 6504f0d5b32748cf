import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect } from 'vitest'
import { loadConfig } from '../../config.ts'
import type { Config } from '../../config.ts'
import { ConfigError } from '../../errors.ts'

let folder: string

/** Each test file has a folder of its own for its configurations: called at its top. */
export function makeFolder(): string {
  const made = mkdtempSync(join(tmpdir(), 'tillage-config-'))
  afterAll(() => rmSync(made, { recursive: true, force: true }))
  folder = made
  return made
}

export const KEYS = { PARTNER: 'partner-secret-4711', DOWNTOWN: 'downtown-secret-0815' }
export const STORE = `
  - id: downtown
    baseUrl: https://partner.example
    partnerKey: \${PARTNER}
    developerKey: \${DOWNTOWN}`

let files = 0
export function fileWith(text: string): string {
  const file = join(folder, `tillage-${++files}.yaml`)
  writeFileSync(file, text)
  return file
}

export const load = (
  text: string,
  environment: Record<string, string | undefined> = KEYS,
): Config => loadConfig(fileWith(text), environment)

export function failureOf(action: () => unknown): ConfigError {
  try {
    action()
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return error as ConfigError
  }
  throw new Error('was accepted')
}

export const problemsOf = (
  text: string,
  environment: Record<string, string | undefined> = KEYS,
): readonly string[] => failureOf(() => load(text, environment)).problems

/** A store with one line changed or added. */
export const storeWith = (line: string): string => {
  const name = line.slice(0, line.indexOf(':'))
  return `stores:${STORE.split('\n')
    .filter(other => !other.includes(` ${name}:`))
    .join('\n')}\n    ${line}`.replace(`stores:\n    baseUrl`, 'stores:\n  - baseUrl')
}
