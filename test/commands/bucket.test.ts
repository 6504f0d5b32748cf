import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { peopleFiles } from '../../books/people-files.ts'
import { serveConsole } from '../../commands/console/serve-console.ts'
import { openGivenOut } from '../../connectors/database-for-exports.ts'
import { removeObject, sizesBelow } from '../../objects/objects.ts'
import { pathOf } from '../../objects/place.ts'
import { putAgain } from '../../objects/put.ts'
import { sha256Of } from '../../sha256.ts'
import { enter } from '../console/console.ts'
import { T1 } from '../exports/sales/worked-example.ts'
import { startObjectServer, useObjectKeys } from '../helpers/object-server.ts'
import { runInProcess } from '../helpers/project.ts'
import type { Outcome } from '../helpers/project.ts'
import { bookkeeper, DAY } from './bookkeeper.ts'

useObjectKeys()

/** A store whose exports lie in a bucket, and the program as somebody types it. */
async function withBucket(stores = ['downtown']) {
  const server = await startObjectServer()
  const { endpoint } = server
  const url = 's3://books/tillage'
  const exports = { url, endpoint, region: 'us-east-1', pathStyle: true }
  const keeper = await bookkeeper(stores, { exports })
  keeper.sales([T1])
  const run = (...args: string[]): Promise<Outcome> =>
    runInProcess([...args, '--config', keeper.config.file])
  const objects = keeper.config.objects!
  /** Another machine has nothing here yet. */
  const forget = (): void => rmSync(objects.mirror, { recursive: true, force: true })
  const keys = async (): Promise<string[]> => [
    ...(await sizesBelow(objects, objects.mirror)).keys(),
  ]
  return { server, keeper, run, objects, forget, keys }
}

const DAY_ADDRESS = `s3://books/tillage/downtown/${DAY}`

it('a journal lies in the bucket, and is told, listed and verified by its address', async () => {
  const { keeper, run, keys, forget } = await withBucket()
  const told = await keeper.journal()
  expect(told.status).toBe(0)
  expect(told.stdout).toContain(`${DAY_ADDRESS}/`)
  forget()
  const listed = await run('files')
  const given = (await keys()).toSorted()
  expect(listed.stdout.trim().split('\n').toSorted()).toEqual(
    given.filter(key => !key.includes('manifest_')),
  )
  const manifest = given.find(key => key.includes('manifest_'))!
  const verified = await run('verify', manifest)
  expect(verified.status).toBe(0)
  expect(verified.stdout).toContain('has the same in its audit log')
})

it('what was changed in the bucket, or removed from it, is found by its address', async () => {
  const { keeper, run, objects, keys } = await withBucket()
  await keeper.journal()
  const given = await keys()
  const manifest = given.find(key => key.includes('manifest_'))!
  const [first, second] = given.filter(key => key.endsWith('.csv'))
  const from = join(objects.mirror, 'changed')
  writeFileSync(from, 'changed')
  await putAgain(objects, {
    path: pathOf(objects, first!),
    from,
    sha256: sha256Of('changed'),
  })
  await removeObject(objects, pathOf(objects, second!))
  const verified = await run('verify', manifest)
  expect(verified.status).toBe(1)
  expect(verified.stdout).toContain(first!)
  expect(verified.stdout).toContain(second!)
  expect(verified.stdout).not.toContain(tmpdir())
  const listed = await run('files')
  expect(listed.stderr).toContain(`gone from the bucket: ${second}`)
  expect(listed.stdout).not.toContain(second!)
})

it('links let somebody without keys read a file, and are for buckets alone', async () => {
  const { keeper, run } = await withBucket()
  await keeper.journal()
  const { stdout } = await run('files', '--format', 'csv', '--link', '5', '--json')
  const { files } = JSON.parse(stdout) as { files: { path: string; link: string }[] }
  expect(files.length).toBeGreaterThan(1)
  for (const { link } of files) expect((await fetch(link)).status).toBe(200)
  expect(files[0]!.link).toContain('X-Amz-Expires=300')
  expect((await run('files', '--link', '0')).status).toBe(2)
  keeper.reconfigure({})
  expect((await run('files', '--link')).stderr).toContain('exports lie in a folder')
})

it('another machine sees what was given out, and its nights revise it', async () => {
  const { keeper, run, forget, keys, objects } = await withBucket()
  await keeper.journal()
  forget()
  expect((await run('books', '--month', DAY.slice(0, 7))).stdout).toMatch(/03-08 .*booked/)
  // Tables may be large, and nobody here reads them.
  const brought = readdirSync(join(objects.mirror, 'downtown', DAY))
  expect(brought.some(name => name.startsWith('manifest_'))).toBe(true)
  expect(brought.some(name => name.startsWith('transactions_'))).toBe(false)
  forget()
  const modified = (T1['modified'] as number) + 1000
  keeper.sales([{ ...T1, modified, status: 'Void' }])
  const order = { store: 'downtown', datasets: [], formats: ['csv'], journal: ['qbo'] } as const
  const night = await keeper.night({ ...order, day: '2026-03-09' })
  expect(night).toMatchObject({ notRevised: [] })
  expect(night.manifests).toContain(`${DAY_ADDRESS}/manifest_downtown_${DAY}_r1.json`)
  expect(await keys()).toEqual(expect.arrayContaining(night.manifests))
  expect((await run('verify', night.manifests.at(-1)!)).status).toBe(0)
})

it('a bucket that is not there leaves a journal ungiven, and the same command gives it out', async () => {
  const { server, keeper, run, keys } = await withBucket()
  server.happens = () => 'cut'
  const failed = await keeper.journal()
  expect(failed.stderr).toContain('OBJECTS_UNREACHABLE')
  expect(failed.status).toBe(1)
  server.happens = () => 'pass'
  expect(await keys()).toEqual([])
  expect((await run('files')).stdout).toBe('')
  expect((await keeper.journal()).status).toBe(0)
  expect((await keys()).length).toBeGreaterThan(3)
})

it('a journal that did not reach the bucket is in no books until it does', async () => {
  const { server, keeper, run } = await withBucket()
  server.happens = ({ method }) => (method === 'PUT' ? 'cut' : 'pass')
  expect((await keeper.journal()).status).toBe(1)
  server.happens = () => 'pass'
  const month = DAY.slice(0, 7)
  const books = await run('books', '--month', month)
  expect(books.stdout).toMatch(new RegExp(`${DAY} +proven`))
  expect(books.status).toBe(3)
  const closed = await run('books', 'close', month, '--by', 'Ana')
  expect(closed.stdout + closed.stderr).toContain('03-18 is not exported')
  const posted = await run('books', 'posted', DAY, '--store', 'downtown', '--ref', '7', '--by', 'A')
  expect(posted.stderr).toContain('has no journal')
  const told = `the journal of ${DAY} was posted and not given out`
  const status = await run('status')
  expect(status.stdout + status.stderr).toContain(told)
  expect((await keeper.journal()).status).toBe(0)
  expect((await run('books', '--month', month)).stdout).toMatch(new RegExp(`${DAY} +booked`))
  const after = await run('status')
  expect(after.stdout + after.stderr).not.toContain(told)
})

it('status answers without the bucket, and says what may be missing; what needs it does not', async () => {
  const { server, keeper, run, forget } = await withBucket()
  await keeper.journal()
  forget()
  server.happens = () => 'cut'
  const status = await run('status')
  expect(status.stdout).toContain('downtown')
  expect(status.stderr).toContain('may be missing here: OBJECTS_UNREACHABLE')
  const month = await run('books', '--month', DAY.slice(0, 7))
  expect(month).toMatchObject({ status: 1, stdout: '' })
  server.happens = () => 'pass'
  expect((await run('status')).stderr).not.toContain('OBJECTS')
})

it('a manifest that was changed in the bucket is named, and stops its own day alone', async () => {
  const { keeper, run, objects, keys, forget } = await withBucket()
  await keeper.journal()
  const manifest = (await keys()).find(key => key.includes('manifest_'))!
  const path = pathOf(objects, manifest)
  writeFileSync(path, 'changed')
  await putAgain(objects, { path, sha256: sha256Of('changed') })
  forget()
  for (const command of [['status'], ['books', '--month', DAY.slice(0, 7)]]) {
    const { stdout, stderr } = await run(...command)
    expect(stdout).toContain('downtown')
    expect(stderr).toContain(`may be missing here: EVIDENCE_CHANGED: ${manifest} is not as`)
  }
  const order = { store: 'downtown', datasets: [], formats: ['csv'], journal: ['qbo'] } as const
  const night = await keeper.night({ ...order, day: '2026-03-09' })
  expect(night.manifests).toEqual([
    's3://books/tillage/downtown/2026-03-09/manifest_downtown_2026-03-09_r0.json',
  ])
  expect(night.notRevised).toEqual([{ day: DAY, code: 'EVIDENCE_CHANGED' }])
  expect((await keeper.journal()).stderr).toContain('EVIDENCE_CHANGED')
})

it('a night brings what its own store gave out', async () => {
  const { keeper, forget, objects } = await withBucket(['downtown', 'uptown'])
  keeper.sales([T1], {}, 'uptown')
  for (const store of ['downtown', 'uptown'])
    expect((await keeper.journal({ store })).status).toBe(0)
  forget()
  const order = { store: 'uptown', datasets: [], formats: ['csv'], journal: [] } as const
  await keeper.night({ ...order, day: '2026-03-09' })
  expect(readdirSync(objects.mirror).filter(name => !name.startsWith('.'))).toEqual(['uptown'])
  expect(readdirSync(join(objects.mirror, 'uptown'))).toContain(DAY)
})

it('files of an earlier bucket are told as that, and not as gone', async () => {
  const { server, keeper, run } = await withBucket()
  await keeper.journal()
  const before = (await run('files', '--current')).stdout
  const { endpoint } = server
  const other = { url: 's3://books/other', endpoint, region: 'us-east-1', pathStyle: true }
  for (const exports of [other, 'a-folder']) {
    keeper.reconfigure({ exports })
    const now = await run('files', '--current')
    expect(now.stdout).toBe(before)
    expect(now.stderr).toContain('in another bucket than exports names')
    expect(now.stderr).not.toContain('gone')
    const { files } = JSON.parse((await run('files', '--json')).stdout) as { files: object[] }
    for (const file of files) expect(file).toMatchObject({ elsewhere: true })
  }
})

it('the page of a day is shown without the bucket, with what is known, and with files that are here', async () => {
  const { server, keeper, objects } = await withBucket()
  await keeper.journal()
  const served = await serveConsole(keeper.config, { program: 'cli.ts' })
  onTestFinished(() => served.close())
  const visitor = await enter(served)
  server.happens = () => 'cut'
  const page = await visitor.get(`/books/downtown/${DAY}`)
  expect(page.status).toBe(200)
  const [, file] = new RegExp(`href="(/books/downtown/${DAY}/files/[^"]+)"`).exec(page.text)!
  expect((await visitor.get(file!)).status).toBe(200)
  // The twin: what nobody has here is in the bucket alone.
  rmSync(pathOf(objects, `${DAY_ADDRESS}/${file!.split('/').at(-1)}`))
  expect((await visitor.get(file!)).status).not.toBe(200)
  server.happens = () => 'pass'
  expect((await visitor.get(file!)).status).toBe(200)
})

it('files with people are looked for on this machine alone', async () => {
  const { server, keeper } = await withBucket()
  await keeper.journal()
  const own = join(keeper.config.exports, '..', 'own')
  await keeper.export(['transactions'], { people: true, out: own })
  server.asked.length = 0
  const givenOut = await openGivenOut(keeper.config.database, { readonly: true })
  const found = await peopleFiles(givenOut, keeper.config, [])
  await givenOut.close()
  expect(found.map(path => dirname(path))).toEqual([join(own, 'downtown', DAY)])
  expect(server.asked).toEqual([])
})

it('people are kept out of the bucket, and a folder of their own is still theirs', async () => {
  const { keeper, keys } = await withBucket()
  const range = { from: DAY, to: '2026-03-09' }
  const refused = await keeper.export(['transactions'], { ...range, people: true })
  expect(refused.stderr).toContain('files with people are not given out into s3://books/tillage')
  expect(await keys()).toEqual([])
  const own = join(keeper.config.exports, '..', 'own')
  const done = await keeper.export(['transactions'], { ...range, people: true, out: own })
  expect(done.stdout).toContain(own)
  expect(await keys()).toEqual([])
})
