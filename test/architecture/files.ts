import { globSync, readFileSync } from 'node:fs'
import { basename, sep } from 'node:path'

/** Every TypeScript file of the project, by its path from the root. */
export const files = globSync('**/*.ts', {
  exclude: name => /^(node_modules|dist|tillage-data|\..*)$/.test(basename(name)),
})
  .map(file => file.split(sep).join('/'))
  .sort()

export const read = (file: string): string => readFileSync(file, 'utf8')
