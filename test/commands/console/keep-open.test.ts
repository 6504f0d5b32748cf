import { copyFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { keepOpen } from '../../../commands/console/keep-open.ts'
import type { Config } from '../../../config.ts'
import type { ReadOnlyDatabase } from '../../../connectors/destination/read-only.ts'
import { streams } from '../../../connectors/partner/streams/index.ts'
import { openDatabase } from '../../connectors/sqlite/window-database.ts'

async function start() {
  const { path, connection } = await openDatabase(streams)
  connection.close()
  const config = { database: path, localFiles: path, stores: [] } as unknown as Config
  const kept = keepOpen(config)
  onTestFinished(() => kept.close())
  const opened = (): Promise<ReadOnlyDatabase> => kept.with(async database => database)
  return { path, kept, opened }
}

test('who asks right after somebody else has the same database open', async () => {
  const { opened } = await start()
  expect(await opened()).toBe(await opened())
})

test('another file in its place is opened anew, and whoever reads the first reads on', async () => {
  const { path, kept, opened } = await start()
  const other = join(dirname(path), 'other.db')
  copyFileSync(path, other)
  await kept.with(async before => {
    renameSync(other, path)
    expect(await opened()).not.toBe(before)
    expect(await before.stores.all()).toEqual([])
  })
})

test('a database that could not be opened is tried again by whoever asks next', async () => {
  const { path, opened } = await start()
  const away = `${path}.away`
  renameSync(path, away)
  for (let time = 0; time < 2; time++)
    await expect(opened()).rejects.toMatchObject({ code: 'NOT_PROVEN' })
  renameSync(away, path)
  expect(await (await opened()).stores.all()).toEqual([])
  rmSync(away, { force: true })
})

test('it is closed a moment after the last has asked', async () => {
  const { opened } = await start()
  const database = await opened()
  await expect.poll(() => database.stores.all().then(String, String)).toMatch(/not open|destroyed/)
})
