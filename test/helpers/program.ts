import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { withFileLock } from '../../file-lock.ts'
import { findWorkflowCode } from '../../temporal/workflow-code.ts'

const ROOT = resolve(import.meta.dirname, '../..')
/** As deep in the clone as what it looks for (docs/, tools/temporal) expects a program to be. */
const FOLDER = join(ROOT, '.vitest', 'program')
/** The last that is written: what the other files were made of. */
const MADE_OF = join(FOLDER, 'made-of.txt')
const NO_SOURCES = ['node_modules', '.git', '.vitest', 'dist', 'docs', 'bench']
/** Processes of tests that run a part of the program, and are started often. */
const SCRIPTS = {
  'export-process': 'test/exports/export-process.ts',
  'query-postgres': 'test/helpers/query-postgres.ts',
}

/**
 * The program as tests start it: built as an installed package has it, since a process loads some
 * twenty files in a third of the time that a thousand sources take (`buildProgram`).
 */
export const PROGRAM = join(FOLDER, 'bin', 'tillage.js')

/** One of these processes, built with the program. */
export const builtScript = (name: keyof typeof SCRIPTS): string => join(FOLDER, `${name}.js`)

/** Builds the program anew where any source has changed since. */
export async function buildProgram(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true })
  await withFileLock(
    join(FOLDER, 'building'),
    () => {},
    async () => {
      const sources = hashSources()
      if (existsSync(MADE_OF) && readFileSync(MADE_OF, 'utf8') === sources) return
      // Loads a bundler, which most runs of tests do without.
      const { bundleProgram } = await import('../../tools/build-package.ts')
      await bundleProgram(FOLDER, SCRIPTS)
      await addBeside()
      writeFileSync(MADE_OF, sources)
    },
  )
}

/** What an installed program finds beside itself. */
async function addBeside(): Promise<void> {
  const workflows = await findWorkflowCode()
  const bundle = join(FOLDER, 'workflow-bundle.js')
  if ('codePath' in workflows) copyFileSync(workflows.codePath, bundle)
  else writeFileSync(bundle, workflows.code)
  copyFileSync(join(ROOT, 'package.json'), join(FOLDER, 'package.json'))
}

/** Of every source but the tests themselves, and of the versions of all libraries. */
function hashSources(): string {
  const hash = createHash('sha256')
  const sources = globSync('**/*.ts', {
    cwd: ROOT,
    exclude: path => NO_SOURCES.includes(path) || path.endsWith('.test.ts'),
  })
  for (const path of [...sources.toSorted(), 'package.json', 'package-lock.json'])
    hash.update(`\0${path}\0`).update(readFileSync(join(ROOT, path)))
  return hash.digest('hex')
}
