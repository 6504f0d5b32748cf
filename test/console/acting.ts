import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { expect } from 'vitest'
import { serveConsole } from '../../commands/console/serve-console.ts'
import type { ServedConsole } from '../../commands/console/serve-console.ts'
import { loadConfig } from '../../config.ts'
import { hashPassword } from '../../console/password-hash.ts'
import type { Sandbox } from '../../sandbox/server.ts'
import { ANY_PORT } from '../helpers/any-port.ts'
import { PROGRAM } from '../helpers/program.ts'
import { startProject, storesOf, waitFor } from '../helpers/project.ts'
import type { Project } from '../helpers/project.ts'
import { csrfOf, Visitor } from './console.ts'
import type { Answer } from './console.ts'

const PASSWORD = 'four short plain words'
const USERS = [
  ['Ann', 'accountant'],
  ['Olga', 'operator'],
  ['Oleg', 'operator'],
  ['Vic', 'viewer'],
  ['Ada', 'admin'],
] as const
type Name = (typeof USERS)[number][0]

/** A store of which four days were read, a console, and people with roles. */
export interface Acting {
  project: Project
  sandbox: Sandbox
  served: ServedConsole
  /** As often as is asked, in the session of the first time. */
  signIn(name: Name): Promise<Visitor>
  signInAnew(name: Name): Promise<Visitor>
  /** The details of what the audit log has under such names. */
  acts(like: string): string[]
  close(): Promise<void>
}

/** With these lists. */
export async function startActing(lists: readonly string[]): Promise<Acting> {
  const data = { seed: 5, days: 4, until: '2026-03-08', transactionsPerDay: 12 }
  const { project, close, sandbox } = await startProject(data)
  const password = await hashPassword(PASSWORD)
  project.configure(storesOf(sandbox), {
    console: { ...ANY_PORT, users: USERS.map(([name, role]) => ({ name, role, password })) },
    webhooks: { ...ANY_PORT, publicUrl: 'http://127.0.0.1:8750' },
  })
  const read = ['--store', 'downtown', '--from', '2026-03-04', '--to', '2026-03-08']
  expect((await project.run('sync', ...lists, ...read)).status).toBe(0)
  const served = await serveConsole(loadConfig(join(project.folder, 'tillage.yaml')), {
    program: PROGRAM,
    worker: () => ({ isUp: true, stranded: [] }),
  })
  const signInAnew = async (name: Name): Promise<Visitor> => {
    const visitor = new Visitor(served.url)
    await visitor.post('/sign-in', { name, password: PASSWORD })
    return visitor
  }
  // A password is made slow to look at on purpose.
  const kept = new Map<Name, string>()
  return {
    project,
    sandbox,
    served,
    signInAnew,
    async signIn(name) {
      kept.set(name, kept.get(name) ?? (await signInAnew(name)).cookie)
      return Object.assign(new Visitor(served.url), { cookie: kept.get(name)! })
    },
    acts: like =>
      project
        .query(`SELECT detail FROM audit_log WHERE act LIKE '${like}' ORDER BY seq`)
        .map(row => Object.values(row as object)[0] as string),
    async close() {
      await served.close()
      await close()
    },
  }
}

/** As the page has it: its token, and a number of its own. */
export async function act(visitor: Visitor, name: string, fields: object): Promise<Answer> {
  const token = csrfOf(await visitor.get('/runs'))
  return visitor.post(`/do/${name}`, { _csrf: token, _action: randomUUID(), ...fields })
}

export async function ended(visitor: Visitor, answer: Answer): Promise<string> {
  expect(answer.status, answer.text).toBe(303)
  const path = answer.headers.get('location')!
  let text = ''
  await waitFor(async () => {
    text = (await visitor.get(path)).text
    return !text.includes('It is under way')
  }, 'the command to end')
  return text
}

/** A plan out of a file of vendors, made on the page; what its command has said. */
export async function planVendors(visitor: Visitor, file: File): Promise<string> {
  const form = new FormData()
  form.set('_csrf', csrfOf(await visitor.get('/plans')))
  form.set('_action', randomUUID())
  form.set('catalog', 'vendors')
  form.set('store', 'downtown')
  form.set('file', file)
  return ended(visitor, await visitor.postForm('/do/plan-catalog', form))
}

/** The same out of its lines, the first of which names the columns. */
export const planLines = (visitor: Visitor, ...lines: string[]): Promise<string> =>
  planVendors(visitor, new File([lines.join('\n')], 'vendors.csv'))

export const NAMES = 'external_id,name'
/** Where its files are, so that none is meant that a row names. */
export const PLAN = /push\/(PL-\d{8}-[0-9a-f]{8})/
