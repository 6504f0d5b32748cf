import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { makeFolder } from '../../temporal/cli/fake-programs.ts'

const MODULE = new URL('../../../connectors/local/kept-secrets.ts', import.meta.url)

it('a secret that its disk has no room for is told with its path, and leaves no file', async () => {
  const folder = makeFolder()
  const made = `({ name: 'member-secret', remedy: '', make: () => 'x'.repeat(64) })`
  const program =
    `import { readOrMakeSecretBeside as make } from '${MODULE.href}'\n` +
    `try { make(process.argv[1], ${made}) } catch ({ code, message }) { console.log(code, message) }`
  const { stdout } = await promisify(execFile)('bash', [
    '-c',
    'ulimit -f 0; exec "$0" "$@"',
    process.execPath,
    '--input-type=module',
    '-e',
    program,
    join(folder, 't.db'),
  ])
  expect(stdout).toContain('DATABASE_FULL')
  expect(stdout).toContain(join(folder, 't.db.member-secret'))
  expect(readdirSync(folder)).toEqual([])
})
