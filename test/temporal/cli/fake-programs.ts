import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), 'tillage-temporal-'))
}

/**
 * A shell script under this path. It finds the system's own programs, whatever PATH the test uses.
 */
export function writeProgram(path: string, script: string): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `#!/bin/sh\nPATH=/usr/bin:/bin\n${script}\n`)
  chmodSync(path, 0o755)
  return path
}

/** What passes for a Temporal CLI: it answers `--version`. */
export const TEMPORAL_SCRIPT = 'echo "temporal version 1.8.2 (Server 1.31.2)"'

/**
 * A `go` that notes each build in `calls`, goes on once the file `gate` exists, and then writes
 * such a CLI; it ends where whoever started it is gone.
 */
export function goScript(calls: string, gate?: string): string {
  return `
if [ "$1" = version ]; then echo "go version go1.26.4"; exit 0; fi
echo "$CGO_ENABLED $(pwd) $*" >> '${calls}'
while [ "$1" != -o ]; do shift; done
${gate === undefined ? '' : `while kill -0 $PPID || exit 1; [ ! -e '${gate}' ]; do sleep 0.02; done`}
printf '%s\\n' '#!/bin/sh' '${TEMPORAL_SCRIPT}' > "$2"
chmod 755 "$2"`
}
