/**
 * `npm run build`: what an installed package runs, since Node strips no types under node_modules.
 * JavaScript with the sources' own layout, so that threads and children find their `.js` next to
 * themselves, and the workflow bundle.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleWorkflows } from '../temporal/workflow-code.ts'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))

/** Builds into the folder, which is emptied first. */
export async function buildPackage(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  compile(folder)
  // Where `temporal/workflow-code.ts` looks for it.
  writeFileSync(join(folder, 'workflow-bundle.js'), await bundleWorkflows())
  for (const program of ['bin/tillage.js', 'cli.js']) makeExecutable(join(folder, program))
}

function compile(folder: string): void {
  const typescript = createRequire(import.meta.url).resolve('typescript/package.json')
  execFileSync(
    process.execPath,
    [
      join(dirname(typescript), 'bin', 'tsc'),
      '--project',
      join(ROOT, 'tsconfig.build.json'),
      '--outDir',
      folder,
    ],
    { stdio: 'inherit' },
  )
}

function makeExecutable(path: string): void {
  if (!readFileSync(path, 'utf8').startsWith('#!/usr/bin/env node\n'))
    throw new Error(`${path} does not begin with #!/usr/bin/env node, so a shell could not run it`)
  chmodSync(path, 0o755)
}

if (import.meta.main) await buildPackage(resolve(process.argv[2] ?? join(ROOT, 'dist')))
