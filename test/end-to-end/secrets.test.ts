import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { control, startProject, storesOf } from '../helpers/project.ts'

/** Bytes of a canary in a file, in the encodings in which it could hide. */
const holds = (bytes: Buffer, canary: string): boolean =>
  [
    Buffer.from(canary, 'utf8'),
    Buffer.from(canary, 'utf16le'),
    Buffer.from(Buffer.from(canary).toString('base64').replace(/=+$/, '').slice(0, -1)),
  ].some(needle => bytes.includes(needle))

test('no key and no person leaves the database: not into logs, errors, histories, exports or manifests', async () => {
  const { sandbox, project, close } = await startProject({ stores: 1 }, { embedded: true })
  try {
    const [id] = (
      (await control(sandbox, 'GET', 'records?store=downtown&stream=members')) as { id: string }[]
    ).map(row => row.id)
    const person = {
      firstName: 'Canarybird',
      lastName: 'Plantedson',
      email: 'canarybird@plantedson.example',
      primaryPhone: '+15550009999',
    }
    await control(sandbox, 'POST', 'records', {
      store: 'downtown',
      stream: 'members',
      op: 'edit',
      id,
      patch: person,
    })
    await control(sandbox, 'POST', 'faults', [
      { status: 500, rate: 0.1 },
      { match: 'vendors', status: 400 },
    ])
    const { developerKey } = sandbox.stores[0]!
    project.configure([
      ...storesOf(sandbox),
      { ...storesOf(sandbox)[0], id: 'wrong', developerKey: 'canary-developer-key' },
    ])
    const days = ['--from', '2026-03-03', '--to', '2026-03-16']
    const synced = await project.run('sync', ...days, '--json')
    expect(synced.status).toBe(1)
    const exported = await project.run(
      'export',
      'members',
      'transactions',
      'transaction_payments',
      ...days,
      '--store',
      'downtown',
      '--format',
      'parquet,csv,jsonl',
    )
    expect(exported.status).toBe(0)

    const said = Buffer.from(
      [synced, exported].flatMap(({ stdout, stderr }) => [stdout, stderr]).join('\n'),
    )
    const files = project
      .files()
      .map(file => ({ name: relative(project.folder, file), bytes: project.read(file) }))
    // The configuration holds the keys and the database the people: that is what they are for, and
    // the twins of this check.
    expect(holds(files.find(({ name }) => name === 'tillage.yaml')!.bytes, developerKey)).toBe(true)
    const database = files.filter(({ name }) => name.startsWith(join('tillage-data', 'tillage.db')))
    expect(database.some(({ bytes }) => holds(bytes, person.email))).toBe(true)
    expect(files.some(({ name }) => name.endsWith('temporal.db'))).toBe(true)

    const keys = [developerKey, 'canary-developer-key', sandbox.partnerKey]
    for (const { name, bytes } of [
      ...files.filter(file => file.name !== 'tillage.yaml'),
      { name: 'output', bytes: said },
    ]) {
      for (const key of keys) expect(holds(bytes, key), `a key in ${name}`).toBe(false)
      if (database.every(file => file.name !== name))
        for (const word of Object.values(person))
          expect(holds(bytes, word), `a person in ${name}`).toBe(false)
    }
  } finally {
    await close()
  }
})
