import { afterEach, expect, test } from 'vitest'
import type { Config } from '../config.ts'
import { connect } from '../worker.ts'

/** What a start says that has no settings: the zone of the process is looked at before them. */
async function saidIn(zone: string): Promise<string> {
  process.env['TZ'] = zone
  const started = connect({} as Config, () => {})
  return started.then(() => 'started', String)
}
afterEach(() => {
  process.env['TZ'] = 'UTC'
})

test.each(['Europe/London', 'Africa/Abidjan', 'America/Los_Angeles'])(
  'a process in the zone %s does not start, whatever its clock says today',
  async zone => {
    expect(await saidIn(zone)).toContain('start it with TZ=UTC')
  },
)

test('a process in UTC gets past its zone', async () => {
  expect(await saidIn('Etc/UTC')).not.toContain('TZ=UTC')
})
