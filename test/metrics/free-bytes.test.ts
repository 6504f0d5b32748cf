import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openDestination } from '../../connectors/database.ts'
import { createGatherer } from '../../metrics/gather.ts'
import { createSeries } from '../../metrics/series.ts'
import { postgresForTests } from '../helpers/postgres.ts'
import { DATABASES } from '../helpers/project.ts'

const folder = mkdtempSync(join(tmpdir(), 'tillage-free-bytes-'))
afterAll(() => rmSync(folder, { recursive: true }))

test.each(DATABASES)('a disk that nobody here knows is no full one: %s', async name => {
  const localFiles = join(folder, 'tillage.db')
  const database = name === 'SQLite' ? localFiles : (await postgresForTests()).url
  const destination = await openDestination({ database, localFiles }, [])
  const series = createSeries()
  const store = () => ({ governor: { allowance: { requestsPerSecond: 1 } as never } })
  const place = { destination, streams: [], stores: [], store }
  await createGatherer({ ...place, exports: folder }, series)(Date.now())
  const page = await series.page()
  const [figure] = /^tillage_free_bytes .*$/m.exec(page) ?? []
  await destination.close()
  // The disk of the exports may be another one.
  expect(page.includes('tillage_free_bytes{holds="exports"} ')).toBe(name === 'SQLite')
  if (name === 'PostgreSQL') expect(figure).toBeUndefined()
  else expect(Number(figure!.split(' ')[1])).toBeGreaterThan(0)
})
