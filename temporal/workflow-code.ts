import { createHash, randomUUID } from 'node:crypto'
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
/** What `npm run build` puts beside the program's own files. */
const PACKAGED = fileURLToPath(new URL('./workflow-bundle.js', import.meta.url))
const WORKFLOWS = join(ROOT, 'workflows')
/** Where tools keep what can be made again: gone with `npm ci`. */
const CACHE = join(ROOT, 'node_modules', '.cache', 'tillage')

export type WorkflowCode = { readonly codePath: string } | { readonly code: string }

export interface FindWorkflowCodeOptions {
  readonly packaged?: string
  readonly workflows?: string
  readonly cache?: string
}

/**
 * The code of all workflows as a worker loads it. An installed package brings it along; in a clone
 * it is bundled once for each content of `workflows/`, which takes seconds, and kept in
 * `node_modules/.cache`. Where that cannot be written or read, it is bundled each time.
 */
export async function findWorkflowCode({
  packaged = PACKAGED,
  workflows = WORKFLOWS,
  cache = CACHE,
}: FindWorkflowCodeOptions = {}): Promise<WorkflowCode> {
  if (existsSync(packaged)) return { codePath: packaged }
  const kept = join(cache, `workflows-${hashSources(workflows)}.js`)
  if (isReadable(kept)) return { codePath: kept }
  const code = await bundleWorkflows(workflows)
  return keep(kept, code) ? { codePath: kept } : { code }
}

/**
 * Bundles a folder of workflows, or rather its `index.ts`. The same sources give the same code
 * wherever they lie.
 */
export async function bundleWorkflows(workflows = WORKFLOWS): Promise<string> {
  const { bundleWorkflowCode, DefaultLogger } = await import('@temporalio/worker')
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(workflows, 'index.ts'),
    workflowInterceptorModules: interceptorsOf(workflows),
    webpackConfigHook: ({ output, ...config }) => ({
      ...config,
      context: ROOT,
      // Traces name `workflows/nightly.ts`, wherever this was bundled.
      output: { ...output, devtoolModuleFilenameTemplate: '[resource-path]' },
    }),
    logger: new DefaultLogger('WARN'),
  })
  return code
}

/** Of a folder of ours; one of a test may have none. */
function interceptorsOf(workflows: string): string[] {
  const path = join(workflows, 'refuse-unsigned.ts')
  return existsSync(path) ? [path] : []
}

/** Another user's may not be. */
function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}

/** Everything that the bundle is made of: our files, and the version of Temporal's. */
function hashSources(workflows: string): string {
  const hash = createHash('sha256')
  hash.update(
    readFileSync(createRequire(import.meta.url).resolve('@temporalio/worker/package.json')),
  )
  for (const file of listSources(workflows)) {
    hash.update(`\0${relative(workflows, file)}\0`)
    hash.update(readFileSync(file))
  }
  return hash.digest('hex').slice(0, 16)
}

function listSources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => resolve(entry.parentPath, entry.name))
    .toSorted()
}

/** Whole or not at all: another process may look for it at the same moment. */
function keep(path: string, code: string): boolean {
  const unfinished = `${path}.${randomUUID()}`
  try {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(unfinished, code)
    renameSync(unfinished, path)
    return true
  } catch {
    if (existsSync(unfinished)) rmSync(unfinished)
    return false
  }
}
