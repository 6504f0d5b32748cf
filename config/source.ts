import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { ConfigError } from '../errors.ts'

/** What `--config` says where a container or a program sends the settings. */
export const STANDARD_INPUT = '-'

/** The settings as somebody wrote them. */
export interface SettingsSource {
  /** As messages call it. */
  name: string
  /** Absolute, or `-`. */
  file: string
  /** Where relative paths begin. */
  folder: string
  text: string
}

/** Reads `tillage.yaml`; throws a ConfigError where it cannot. */
export function readSource(file: string): SettingsSource {
  if (file === STANDARD_INPUT)
    return { name: INPUT_NAME, file, folder: process.cwd(), text: readInput() }
  const path = resolve(file)
  if (!existsSync(path)) throw notThere(file, path)
  return { name: file, file: path, folder: dirname(path), text: readText(file, path) }
}

/** `from`: a path, or the number of an open file. */
export function readText(name: string, from: string | number): string {
  try {
    return readFileSync(from, 'utf8')
  } catch (cause) {
    throw new ConfigError(
      name,
      [`it cannot be read (${(cause as NodeJS.ErrnoException).code ?? 'unknown error'})`],
      'Check that it is a file that you may read.',
    )
  }
}

const INPUT_NAME = 'the standard input'

let input: string | undefined

/** It can be read once, and a command asks for its settings more than once. */
function readInput(): string {
  input ??= readText(INPUT_NAME, 0)
  if (input.trim() === '')
    throw new ConfigError(
      INPUT_NAME,
      ['it is empty, and --config - reads the settings from it'],
      'Send them: tillage --config - status < tillage.yaml',
    )
  return input
}

const notThere = (file: string, path: string): ConfigError =>
  new ConfigError(
    file,
    [`the file does not exist (looked for ${path})`],
    'Write one with tillage init, or name another file with --config. ' +
      'To look around without one: tillage demo',
  )
