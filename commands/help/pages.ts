import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The pages of docs/: two folders up in the clone, and one or two in an installed package. */
const FOLDER = ['../docs/', '../../docs/']
  .map(place => fileURLToPath(new URL(place, import.meta.url)))
  .find(existsSync)

/** The names of all pages, as `help` takes them. */
export const pageNames = (): string[] =>
  FOLDER === undefined
    ? []
    : readdirSync(FOLDER)
        .filter(name => name.endsWith('.md'))
        .map(name => name.slice(0, -'.md'.length))
        .toSorted()

/** The page of this name, or of `docs/NAME.md`; undefined: there is none. */
export function readPage(topic: string): string | undefined {
  const name = topic.replace(/^docs\//, '').replace(/\.md$/, '')
  return pageNames().includes(name) ? readFileSync(join(FOLDER!, `${name}.md`), 'utf8') : undefined
}
