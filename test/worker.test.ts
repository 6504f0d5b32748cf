import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const script = `
  const { connect } = await import('./worker.ts')
  await connect({}, () => {}).catch(error => {
    console.log(error.message)
    process.exit()
  })`
const saidIn = async (zone: string): Promise<string> =>
  (
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
      cwd: join(import.meta.dirname, '..'),
      env: { ...process.env, TZ: zone },
    })
  ).stdout

test.each(['Europe/London', 'Africa/Abidjan', 'America/Los_Angeles'])(
  'a process in the zone %s does not start, whatever its clock says today',
  async zone => {
    expect(await saidIn(zone)).toContain('start it with TZ=UTC')
  },
)

test('a process in UTC gets past its zone', async () => {
  expect(await saidIn('Etc/UTC')).not.toContain('TZ=UTC')
})
