import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { streams } from '../../../../connectors/partner/streams/index.ts'
import { members } from '../../../../connectors/partner/streams/members.ts'
import { openDatabase } from '../window-database.ts'

test('a state that was purged stands in no freed page and not in the log', async () => {
  const database = await openDatabase(streams)
  const load = (state: string, readAt: string): unknown =>
    database.load(
      members,
      [
        Array.from({ length: 60 }, (_, index) =>
          JSON.stringify({
            id: `M${index}`,
            modified: Date.parse(readAt),
            firstName: `${state}-${index}`,
            pad: state.repeat(200),
          }),
        ),
      ],
      { readAt },
    )
  load('FirstState', '2026-01-01T00:00:00.000Z')
  load('SecondState', '2026-02-01T00:00:00.000Z')
  load('ThirdState', '2026-06-01T00:00:00.000Z')
  const onDisk = (text: string): boolean =>
    ['', '-wal'].some(
      suffix =>
        existsSync(database.path + suffix) && readFileSync(database.path + suffix).includes(text),
    )
  expect(onDisk('FirstState')).toBe(true)
  const purged = database.store.purge({
    retention: { versionsDays: 60 },
    store: 'downtown',
    at: '2026-06-02T00:00:00.000Z',
  })
  expect(purged).toEqual([{ table: 'versions', before: '2026-04-03T00:00:00.000Z', rows: 60 }])
  expect([onDisk('FirstState'), onDisk('SecondState'), onDisk('ThirdState')]).toEqual([
    false,
    true,
    true,
  ])
})
