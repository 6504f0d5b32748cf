#!/usr/bin/env node
/**
 * What `tillage` is in an installed package. Tillage needs Node 24 and brings it along as a
 * dependency, which `npx` and `npm run` find by themselves. A global install, or the file called by
 * its path, starts the machine's own Node instead, and an older one would crash in a native module
 * without a word: so it is replaced here. Plain code that Node 18 can run.
 */
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { needsAnotherNode, PACKAGES_WITH_NODE } from './node-version.ts'

if (needsAnotherNode(process.versions.node)) startWithOwnNode()
else await import('../cli.ts')

function startWithOwnNode(): void {
  const node = findOwnNode()
  if (node === undefined) {
    process.stderr.write(
      `Tillage needs Node 24, and this is ${process.versions.node}. ` +
        'The one that it brings along is not installed here: ' +
        'install Node 24, or Tillage without --omit=optional.\n',
    )
    process.exitCode = 2
    return
  }
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' })
  // A terminal sends Ctrl-C to both of us; a second one from here would cut an orderly stop short.
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'))
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
  child.on('exit', status => {
    process.exitCode = status ?? 1
  })
}

function findOwnNode(): string | undefined {
  const require = createRequire(import.meta.url)
  for (const name of PACKAGES_WITH_NODE) {
    try {
      return require.resolve(`${name}/bin/node${process.platform === 'win32' ? '.exe' : ''}`)
    } catch {
      // Built for another machine, so not installed.
    }
  }
  return undefined
}
