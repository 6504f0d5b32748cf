import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { STANDARD_INPUT } from './source.ts'
import type { SettingsSource } from './source.ts'
import { filesOfPattern, patternsOf } from './store-files.ts'
import { fillInVariables } from './variables.ts'
import type { Environment } from './variables.ts'
import { parseYaml } from './yaml.ts'

/**
 * Answers, each time it is called, which files settings come from: `tillage.yaml`, and what its
 * `stores:` names now. Where it cannot be read, what it named before counts.
 */
export function followFiles(
  { file, folder, text: before }: Pick<SettingsSource, 'file' | 'folder' | 'text'>,
  environment: Environment,
): () => string[] {
  const isFile = file !== STANDARD_INPUT
  let text = before
  let patterns = patternsIn(text, environment) ?? []
  const findFiles = (): string[] => {
    const now = isFile && existsSync(file) ? readFileSync(file, 'utf8') : text
    if (now !== text) {
      text = now
      patterns = patternsIn(text, environment) ?? patterns
    }
    const named = patterns.flatMap(pattern => filesOfPattern(folder, pattern))
    return [...(isFile ? [file] : []), ...named.map(name => resolve(folder, name))]
  }
  let known = findFiles()
  return () => {
    try {
      known = findFiles()
    } catch {
      // A file that is being replaced, or may not be read: whoever reads it then says so.
    }
    return known
  }
}

function patternsIn(text: string, environment: Environment): string[] | undefined {
  try {
    return patternsOf(fillInVariables(parseYaml('', text), environment).document)
  } catch {
    return undefined
  }
}
