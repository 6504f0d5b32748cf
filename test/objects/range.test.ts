import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { putAgain } from '../../objects/put.ts'
import { bringRange } from '../../objects/range.ts'
import { sha256Of } from '../../sha256.ts'
import { freshFolder } from '../exports/order.ts'
import { startObjectServer, useObjectKeys } from '../helpers/object-server.ts'

useObjectKeys()

const NAME = 'manifest_downtown_2026-03-08_r0.json'
const MANIFEST = JSON.stringify({ files: [], previous: null })

/** A run died before it gave a manifest out; under its name the bucket has other bytes. */
async function rangeOf(bytes: string) {
  const server = await startObjectServer()
  const [there, here] = [server.place(freshFolder()), server.place(freshFolder())]
  const folder = join('downtown', '2026-03-08')
  const path = join(there.mirror, folder, NAME)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, bytes)
  await putAgain(there, { path, sha256: sha256Of(bytes) })
  const brought = join(here.mirror, folder, NAME)
  const bring = () =>
    bringRange(here, join(here.mirror, folder), {
      given: new Map([[NAME, sha256Of('what the run that died had made')]]),
      isLogged: async () => false,
      newest: () => (existsSync(brought) ? NAME : undefined),
    })
  return { bring, brought }
}

it('the manifest of another machine is brought under the name that a run that died had taken', async () => {
  const { bring, brought } = await rangeOf(MANIFEST)
  await bring()
  expect(readFileSync(brought, 'utf8')).toBe(MANIFEST)
})

it('a page that a gateway answers with is no manifest, and is not kept', async () => {
  const { bring, brought } = await rangeOf('<html>login</html>')
  await expect(bring()).rejects.toMatchObject({
    code: 'EVIDENCE_CHANGED',
    message: expect.stringContaining('is no manifest') as string,
  })
  expect(existsSync(brought)).toBe(false)
})
