import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { TillageError } from '../../errors.ts'
import { openBucket } from '../../objects/client.ts'
import { fetchObject, linkTo, sizeOf, sizesBelow } from '../../objects/objects.ts'
import { probeBucket } from '../../objects/probe.ts'
import { putAgain, putOnce } from '../../objects/put.ts'
import type { ObjectFile } from '../../objects/put.ts'
import { freshFolder } from '../exports/order.ts'
import { OBJECT_KEYS, startObjectServer, useObjectKeys } from '../helpers/object-server.ts'

const sha256Of = (bytes: string | Buffer): string =>
  createHash('sha256').update(bytes).digest('hex')

useObjectKeys()

/** It arrives, and its answer does not. */
const lost = (): void => {}

/** A file of the mirror, which is not in the bucket yet. */
async function bucketWith(bytes: string | Buffer) {
  const server = await startObjectServer()
  const folder = freshFolder()
  const place = server.place(folder)
  const from = join(folder, 'draft')
  writeFileSync(from, bytes)
  const path = join(place.mirror, 'downtown', '2026-03-08', 'sales.csv')
  const file: ObjectFile = { path, from, sha256: sha256Of(bytes) }
  return { server, place, file, path, from }
}

describe('an object', () => {
  it('is put once, and is brought back as it was', async () => {
    const { server, place, file, path } = await bucketWith('a,b\n')
    await putOnce(place, file)
    expect(server.asked.map(({ method, key }) => `${method} ${key}`)).toEqual([
      'PUT tillage/downtown/2026-03-08/sales.csv',
    ])
    expect(await fetchObject(place, path)).toBe(file.sha256)
    expect(readFileSync(path, 'utf8')).toBe('a,b\n')
    expect(await sizeOf(place, path)).toBe(4)
    expect([...(await sizesBelow(place, place.mirror))]).toEqual([
      ['s3://books/tillage/downtown/2026-03-08/sales.csv', 4],
    ])
  })

  it('that nobody has given out is not there', async () => {
    const { place, path } = await bucketWith('')
    expect(await sizeOf(place, path)).toBeUndefined()
    expect(await fetchObject(place, path)).toBeUndefined()
  })

  it('is put twice where its bytes are the same, and never where they are others', async () => {
    const { place, file, from } = await bucketWith('a,b\n')
    await putOnce(place, file)
    await putOnce(place, file)
    writeFileSync(from, 'a,c\n')
    const other = { ...file, sha256: sha256Of('a,c\n') }
    await expect(putOnce(place, other)).rejects.toMatchObject({
      code: 'OBJECTS_TAKEN',
      sha256: file.sha256,
    })
    // The twin: what people fill in may be put again.
    await putAgain(place, other)
    expect(await fetchObject(place, file.path)).toBe(other.sha256)
  })

  it('is put by one of twenty that try at once', async () => {
    const { place, from, file } = await bucketWith('x')
    const tries = Array.from({ length: 20 }, (_, one) => {
      const mine = `${from}-${one}`
      writeFileSync(mine, `x${one}`)
      return putOnce(place, { ...file, from: mine, sha256: sha256Of(`x${one}`) })
    })
    const done = await Promise.allSettled(tries)
    expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('of 40 megabytes is put in parts, has its name at the end alone, and is put once', async () => {
    const bytes = Buffer.alloc(40 * 1024 * 1024, 'tillage ')
    const { server, place, file, path, from } = await bucketWith(bytes)
    const seen: (number | undefined)[] = []
    server.happens = async ({ method, parameters }) => {
      if (method === 'POST' && parameters.includes('uploadId='))
        seen.push((await sizesBelow(place, place.mirror)).size)
      return 'pass' as const
    }
    await putOnce(place, file)
    expect(seen[0]).toBe(0)
    expect(server.asked.filter(({ parameters }) => parameters.includes('partNumber'))).toHaveLength(
      3,
    )
    expect(await fetchObject(place, path)).toBe(file.sha256)
    writeFileSync(from, Buffer.alloc(40 * 1024 * 1024, 'others  '))
    await expect(putOnce(place, { ...file, sha256: '0'.repeat(64) })).rejects.toMatchObject({
      code: 'OBJECTS_TAKEN',
    })
    expect(await fetchObject(place, path)).toBe(file.sha256)
  })

  it('is asked for again where the line broke, or the answer was lost', async () => {
    const { server, place, file, path } = await bucketWith('a,b\n')
    let harm = 0
    server.happens = () =>
      (['cut', lost, { status: 503, code: 'SlowDown' }] as const)[harm++] ?? 'pass'
    await putOnce(place, file)
    expect(harm).toBeGreaterThan(3)
    harm = 0
    server.happens = () => (['cut', lost] as const)[harm++] ?? 'pass'
    expect(await fetchObject(place, path)).toBe(file.sha256)
  })

  it('is asked for by one client of its provider, whatever its bucket and mirror', async () => {
    const { place } = await bucketWith('')
    const elsewhere = { ...place, url: 's3://others/tillage', mirror: freshFolder() }
    expect(await openBucket(elsewhere)).toBe(await openBucket(place))
    expect(await openBucket({ ...place, region: 'eu-central-1' })).not.toBe(await openBucket(place))
  })

  it('can be read by a link for a while, without keys', async () => {
    const { place, file, path } = await bucketWith('a,b\n')
    await putOnce(place, file)
    const link = await linkTo(place, path, 60)
    expect(link).toContain('X-Amz-Expires=60')
    expect(link).not.toContain(OBJECT_KEYS.AWS_SECRET_ACCESS_KEY)
    expect(await (await fetch(link)).text()).toBe('a,b\n')
  })
})

describe('a failure', () => {
  it('is told as what it is: gone, forbidden, unknown keys, no bucket', async () => {
    const { server, place, file } = await bucketWith('a,b\n')
    const put = (): Promise<unknown> => putOnce(place, file).catch((error: unknown) => error)
    server.happens = () => ({ status: 403, code: 'AccessDenied' })
    expect(await put()).toMatchObject({ code: 'OBJECTS_REFUSED' })
    expect(((await put()) as { remedy: string }).remedy).toContain('s3:PutObject')
    server.happens = () => ({ status: 403, code: 'InvalidAccessKeyId' })
    expect(((await put()) as { remedy: string }).remedy).toContain('AWS_ACCESS_KEY_ID')
    server.happens = () => ({ status: 404, code: 'NoSuchBucket' })
    expect(((await put()) as { remedy: string }).remedy).toContain('no such bucket')
    server.happens = () => 'cut'
    expect(await put()).toMatchObject({ code: 'OBJECTS_UNREACHABLE' })
  })

  it.each([403, 503])('keeps its secret key out of what it says of a %i', async status => {
    const { server, place, file } = await bucketWith('a,b\n')
    const message = `signed with ${OBJECT_KEYS.AWS_SECRET_ACCESS_KEY}`
    server.happens = () => ({ status, code: 'SignatureDoesNotMatch', message })
    const error = await putOnce(place, file).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(TillageError)
    const said = inspect(error, { depth: Infinity, showHidden: true })
    expect(said).toContain(String(status))
    expect(said).not.toContain(OBJECT_KEYS.AWS_SECRET_ACCESS_KEY)
  })

  it.each(['NoSuchKey', 'NoSuchUpload', 'NotFound'])(
    'is what a 404 (%s) is to whoever puts or lists, and none to whoever reads',
    async code => {
      const { server, place, file, path } = await bucketWith('a,b\n')
      server.happens = () => ({ status: 404, code })
      const refused = { code: 'OBJECTS_REFUSED' }
      await expect(putOnce(place, file)).rejects.toMatchObject(refused)
      await expect(putAgain(place, file)).rejects.toMatchObject(refused)
      await expect(sizesBelow(place, place.mirror)).rejects.toMatchObject(refused)
      // The twin: who looks for an object hears that it is not there.
      expect(await sizeOf(place, path)).toBeUndefined()
      expect(await fetchObject(place, path)).toBeUndefined()
    },
  )

  it('is for now where a conflict lasts, and none where it ends', async () => {
    const { server, place, file } = await bucketWith('a,b\n')
    let conflicts = 0
    server.happens = () =>
      conflicts++ < 2 ? { status: 409, code: 'ConditionalRequestConflict' } : 'pass'
    await putOnce(place, file)
    server.happens = () => ({ status: 409, code: 'ConditionalRequestConflict' })
    for (const put of [putOnce, putAgain])
      await expect(put(place, file)).rejects.toMatchObject({ code: 'OBJECTS_UNREACHABLE' })
  })

  it('of this machine is told as it is, and what was fetched is not fetched again', async () => {
    const { server, place, file, path } = await bucketWith('a,b\n')
    await putOnce(place, file)
    await expect(putOnce(place, { ...file, from: 'nowhere' })).rejects.toMatchObject({
      code: 'ENOENT',
    })
    mkdirSync(place.mirror)
    writeFileSync(join(place.mirror, 'downtown'), 'no folder')
    server.asked.length = 0
    await expect(fetchObject(place, path)).rejects.toMatchObject({ code: 'ENOTDIR' })
    expect(server.asked).toEqual([])
    const tooLong = join(place.mirror, 'x'.repeat(250))
    await expect(fetchObject(place, path, { to: tooLong })).rejects.toMatchObject({
      code: 'ENAMETOOLONG',
    })
    expect(server.asked).toHaveLength(1)
  })

  it('in the middle of a body is asked for again, and told as one of the bucket', async () => {
    const { server, place, file, path } = await bucketWith('a,b\n'.repeat(1000))
    await putOnce(place, file)
    server.asked.length = 0
    server.happens = () => 'broken'
    await expect(fetchObject(place, path)).rejects.toMatchObject({ code: 'OBJECTS_UNREACHABLE' })
    expect(server.asked).toHaveLength(3)
    expect(existsSync(path)).toBe(false)
  })
})

describe('the probe', () => {
  it('finds a store that keeps conditions good, and leaves nothing', async () => {
    const { place } = await bucketWith('')
    expect(await probeBucket(place)).toEqual({ isRemoved: true })
    expect((await sizesBelow(place, place.mirror)).size).toBe(0)
  })

  it.each([true, 'of parts'] as const)('refuses a store that ignores them: %s', async ignores => {
    const { server, place } = await bucketWith('')
    server.ignoresConditions = ignores
    await expect(probeBucket(place)).rejects.toMatchObject({ code: 'OBJECTS_WITHOUT_CONDITIONS' })
    expect((await sizesBelow(place, place.mirror)).size).toBe(0)
  })

  it('says that it stays where the keys may not remove it', async () => {
    const { server, place } = await bucketWith('')
    server.happens = ({ method }) =>
      method === 'DELETE' ? { status: 403, code: 'AccessDenied' } : 'pass'
    expect(await probeBucket(place)).toEqual({ isRemoved: false })
  })

  it.each([
    ['HEAD', 's3:ListBucket'],
    ['PUT', 's3:PutObject'],
    ['GET', 's3:GetObject'],
  ])('names the right that %s lacks', async (denied, right) => {
    const { server, place } = await bucketWith('')
    server.happens = ({ method }) =>
      method === denied ? { status: 403, code: 'AccessDenied' } : 'pass'
    await expect(probeBucket(place)).rejects.toMatchObject({
      code: 'OBJECTS_REFUSED',
      remedy: expect.stringContaining(right) as string,
    })
  })
})
