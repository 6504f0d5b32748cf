import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { LaunchedServer } from './launch-server.ts'
import { identifyProcess } from './process-identity.ts'
import type { ProcessIdentity } from './process-identity.ts'
import { writeServerRecord } from './server-folder.ts'
import type { ServerFolder } from './server-folder.ts'
import { LOG_LIMIT_BYTES, note, openLog } from './server-log.ts'

const SHELL = '/bin/sh'

/**
 * Looks once a second whether something is to be done, and becomes the keeper (`keeper.ts`, with
 * the same pid) when it is: the server has ended, it has no user any more, or its log is long.
 * Until then it is a shell of 1 MB where Node would take 58. It decides nothing: what it takes for
 * an event may be none.
 *
 * Arguments: Node, the keeper's file, the folder, the CLI; pid and start of the server. Processes
 * are recognised as in `process-identity.ts`, users by the names of their files (`users.ts`).
 */
const WAIT_FOR_WORK = `
folder=$3 server=$5 started=$6

runs() { # PID STARTED_AT
  [ -n "$2" ] || { kill -0 "$1" 2>/dev/null; return; }
  read -r stat 2>/dev/null <"/proc/$1/stat" || return
  set -- "$2" \${stat##*) }
  [ "$1" = "\${21}" ] && [ "$2" != Z ] && [ "$2" != X ]
}

is_used() {
  for user in "$folder"/users/*; do
    name=\${user##*/}
    rest=\${name#*.}
    runs "\${name%%.*}" "\${rest%%.*}" && return
  done
  return 1
}

log_is_long() { # looked at once a minute
  seconds=$(( (seconds + 1) % 60 ))
  [ "$seconds" = 0 ] && [ "$(wc -c <"$folder/temporal.log")" -gt ${LOG_LIMIT_BYTES} ]
}

end() { # told to: the server is not left without a keeper
  kill "$!" 2>/dev/null
  runs "$server" "$started" && kill "$server"
  exit
}

trap end TERM INT HUP
seconds=0
read -r _ # the end of input: this keeper is recorded
while runs "$server" "$started" && is_used && ! log_is_long; do
  sleep 1 &
  wait "$!"
done
exec "$1" "$2" "$3" "$4"
`

/**
 * Gives a server that this process has launched into the charge of a keeper of its own; undefined
 * where none can be started.
 */
export function startKeeper(
  files: ServerFolder,
  record: LaunchedServer['record'],
  cli: string,
  env: NodeJS.ProcessEnv | undefined,
): ProcessIdentity | undefined {
  const log = openLog(files)
  const [program, ...args] = commandOf(files, record.server, cli)
  const child = spawn(program!, args, {
    cwd: files.folder,
    detached: true,
    env,
    stdio: ['pipe', log.fd, log.fd],
    windowsHide: true,
  })
  log.close()
  child.unref()
  child.once('error', error => note(files, `no keeper could be started: ${String(error)}`))
  child.stdin!.on('error', () => {})
  if (child.pid === undefined) return undefined
  const keeper = identifyProcess(child.pid)
  writeServerRecord(files, { ...record, keeper })
  child.stdin!.end()
  return keeper
}

function commandOf({ folder }: ServerFolder, server: ProcessIdentity, cli: string): string[] {
  // Its extension is ours: .ts in a clone, .js in an installed package.
  const file = fileURLToPath(new URL(`./keeper${extname(import.meta.url)}`, import.meta.url))
  const keeper = [process.execPath, file, folder, cli]
  if (!existsSync(SHELL)) return keeper
  const { pid, startedAt = '' } = server
  return [SHELL, '-c', WAIT_FOR_WORK, 'keeper', ...keeper, String(pid), startedAt]
}
