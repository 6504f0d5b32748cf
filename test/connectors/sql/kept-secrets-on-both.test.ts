import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { MadeSecret } from '../../../connectors/destination/kept-secrets.ts'
import { BY_HAND } from './by-hand-databases.ts'

const secretOf = (value: string): MadeSecret => ({
  name: 'member-secret',
  remedy: 'bring it back',
  make: () => value,
})
const [ONE, OTHER] = [secretOf('the secret of one'), secretOf('the secret of another')]

describe.each(Object.entries(BY_HAND))('a kept secret, on %s,', (_, open) => {
  it('is not there before somebody makes it, and is what was made first from then on', async () => {
    const { kind, place, database } = await open()
    expect(await kind.readSecret(place, ONE)).toBeUndefined()
    await kind.migrate(database, [])
    expect(await kind.readSecret(place, ONE)).toBeUndefined()
    expect(await kind.readOrMakeSecret(place, ONE)).toBe('the secret of one')
    expect(await kind.readOrMakeSecret(place, OTHER)).toBe('the secret of one')
    expect(await kind.readSecret(place, ONE)).toBe('the secret of one')
    const another = { ...OTHER, name: 'message-key' }
    expect(await kind.readOrMakeSecret(place, another)).toBe('the secret of another')
  })

  it('is one, whoever of several that start at once makes it', async () => {
    const { kind, place, database } = await open()
    await kind.migrate(database, [])
    const made = Array.from({ length: 6 }, (_ignored, index) =>
      secretOf(`the secret of number ${index}`),
    )
    const found = await Promise.all(made.map(secret => kind.readOrMakeSecret(place, secret)))
    expect(new Set(found).size).toBe(1)
  })

  it('that is too short for one is refused, with what to do', async () => {
    const { kind, place, database } = await open()
    await kind.migrate(database, [])
    await kind.readOrMakeSecret(place, secretOf('short')).catch(() => {})
    await expect(kind.readSecret(place, ONE)).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.not.stringContaining('short'),
      remedy: 'bring it back',
    })
  })
})

it('on a server is the same for every machine, and what one had in a file is taken over', async () => {
  const { kind, place, database } = await BY_HAND['PostgreSQL']!()
  await kind.migrate(database, [])
  writeFileSync(`${place.localFiles}.member-secret`, 'made by an earlier version\n')
  expect(await kind.readOrMakeSecret(place, ONE)).toBe('made by an earlier version')
  const elsewhere = { database, localFiles: `${place.localFiles}-elsewhere` }
  expect(await kind.readOrMakeSecret(elsewhere, ONE)).toBe('made by an earlier version')
  expect(await kind.readSecret(elsewhere, ONE)).toBe('made by an earlier version')
})

it('in files is of one database alone', async () => {
  const [one, other] = [await BY_HAND['SQLite']!(), await BY_HAND['SQLite']!()]
  await one.kind.readOrMakeSecret(one.place, ONE)
  expect(await other.kind.readSecret(other.place, ONE)).toBeUndefined()
})
