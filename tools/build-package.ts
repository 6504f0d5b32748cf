/**
 * `npm run build`: what an installed package runs, since Node strips no types under node_modules.
 * The program and the libraries that it is made of in some hundred files instead of 1,700
 * (decision 126), and the workflow bundle. All lie in one folder, so that whatever starts a thread
 * or a child finds its program next to itself.
 */
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { bundleWorkflows } from '../temporal/workflow-code.ts'
import { licenceTexts } from './licences.ts'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))

/** What a shell, a thread or a child is started with; commands are loaded by the first of them. */
const PROGRAMS: Readonly<Record<string, string>> = {
  'bin/tillage': 'bin/tillage.ts',
  'checkpoint-thread': 'connectors/sqlite/writer/checkpoint-thread.ts',
  'export-worker': 'exports/export-worker.ts',
  keeper: 'temporal/server/keeper.ts',
  'question-thread': 'connectors/postgres/snapshot/question-thread.ts',
  'writer-thread': 'connectors/sqlite/writer/writer-thread.ts',
}

/** Libraries that find parts of theirs beside themselves: native code, threads, optional ones. */
const LEFT_AS_THEY_ARE = [/^better-sqlite3$/, /^pg$/, /^@duckdb\//, /^@temporalio\//]

/** Builds into the folder, which is emptied first. */
export async function buildPackage(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  const modules = await bundleProgram(folder)
  writeFileSync(join(folder, 'licences.txt'), licenceTexts(modules))
  // Where `temporal/workflow-code.ts` looks for it.
  writeFileSync(join(folder, 'workflow-bundle.js'), await bundleWorkflows())
  makeExecutable(join(folder, 'bin', 'tillage.js'))
}

/**
 * Writes the program's files and answers what they are made of. Names of functions and lines stay,
 * so that a stack can be read and leads to the comment that names the source; other comments go,
 * and characters beyond ASCII are escaped: V8 keeps what it runs, and all of a file in two bytes
 * each for a single one. `beside`: what else is made of the same files.
 */
export async function bundleProgram(
  folder: string,
  beside: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  const bundle = await rolldown({
    cwd: ROOT,
    input: { ...PROGRAMS, ...beside },
    platform: 'node',
    external: LEFT_AS_THEY_ARE,
  })
  const { output } = await bundle.write({
    dir: folder,
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    comments: false,
    keepNames: true,
    minify: {
      compress: false,
      mangle: false,
      codegen: { removeWhitespace: false, asciiOnly: true },
    },
  })
  await bundle.close()
  return output.flatMap(file => (file.type === 'chunk' ? file.moduleIds : []))
}

function makeExecutable(path: string): void {
  if (!readFileSync(path, 'utf8').startsWith('#!/usr/bin/env node\n'))
    throw new Error(`${path} does not begin with #!/usr/bin/env node, so a shell could not run it`)
  chmodSync(path, 0o755)
}

if (import.meta.main) await buildPackage(resolve(process.argv[2] ?? join(ROOT, 'dist')))
