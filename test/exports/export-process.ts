/**
 * An export in a process of its own, which a test can kill or starve. `call N` kills it before its
 * Nth change of the folder, `fail N` lets that one fail, `after N` kills it once the export has
 * used N milliseconds of a processor, which are as many under load as without; `count` prints how
 * many changes there are, and how much processor time and memory it took.
 */
import { existsSync, readFileSync } from 'node:fs'
import { TillageError } from '../../errors.ts'
import type { ExportOrder } from '../../exports/request.ts'
import { runExport } from '../../exports/run-export.ts'
import { watchDisk } from '../helpers/disk-changes.ts'

const [how = '', at = '0', json = ''] = process.argv.slice(2)
const order = JSON.parse(json) as ExportOrder
const die = (): never => {
  process.kill(process.pid, 'SIGKILL')
  throw new Error('still alive')
}

let calls = 0
watchDisk(change => {
  const isTheOne = calls === Number(at)
  if (how === 'call' && isTheOne) die()
  calls++
  if (how === 'fail' && isTheOne) throw new Error(`the disk fails at ${change}`)
})

const usedMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
const STATUS = '/proc/self/status'
/** Of this program alone: what the system counts for a process begins with its parent's memory. */
function peakMb(): number {
  const status = existsSync(STATUS) ? readFileSync(STATUS, 'utf8') : ''
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(status) ?? []
  return Number(kilobytes ?? process.resourceUsage().maxRSS) / 1024
}

const beginMs = usedMs()
if (how === 'after') setInterval(() => usedMs() - beginMs >= Number(at) && die(), 1).unref()
try {
  await runExport(order, { progress: () => {}, stopped: () => false })
  process.stdout.write(
    JSON.stringify({
      calls,
      ms: usedMs() - beginMs,
      peakMb: peakMb(),
    }),
  )
} catch (error) {
  process.stdout.write(
    JSON.stringify({ error: error instanceof TillageError ? error.code : String(error) }),
  )
}
