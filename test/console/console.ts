import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serveConsole } from '../../commands/console/serve-console.ts'
import type { ServedConsole } from '../../commands/console/serve-console.ts'
import { loadConfig } from '../../config.ts'
import { ANY_PORT } from '../helpers/any-port.ts'

/** A folder with a tillage.yaml of a store whose API nobody asks, and a console that serves it. */
export interface Scene {
  folder: string
  config: string
  served: ServedConsole
  close(): Promise<void>
}

export async function startScene(settings: object = {}): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), 'tillage-console-'))
  const config = join(folder, 'tillage.yaml')
  const store = { id: 'downtown', baseUrl: 'https://partner.example', timeZone: 'America/Denver' }
  const keys = { partnerKey: 'a-partner-key', developerKey: 'a-developer-key' }
  const here = { ...ANY_PORT, ...settings }
  writeFileSync(config, JSON.stringify({ stores: [{ ...store, ...keys }], console: here }))
  const served = await serveConsole(loadConfig(config), { program: 'cli.ts' })
  return {
    folder,
    config,
    served,
    async close() {
      await served.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export interface Answer {
  status: number
  text: string
  headers: Headers
}

/** A browser as far as cookies go: it keeps the one that it was given. */
export class Visitor {
  readonly url: string
  cookie = ''
  readonly headers: Readonly<Record<string, string>>

  constructor(url: string, headers: Readonly<Record<string, string>> = {}) {
    this.url = url
    this.headers = headers
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.ask(path, { headers })
  }

  post(path: string, fields: object, headers: Readonly<Record<string, string>> = {}) {
    const body = new URLSearchParams(fields as Record<string, string>)
    return this.ask(path, { method: 'POST', body, headers })
  }

  /** As a browser sends a form with files. */
  postForm(path: string, body: FormData): Promise<Answer> {
    return this.ask(path, { method: 'POST', body })
  }

  private async ask(path: string, request: RequestInit): Promise<Answer> {
    const answer = await fetch(new URL(path, this.url), {
      ...request,
      redirect: 'manual',
      headers: { ...this.headers, cookie: this.cookie, ...(request.headers as object) },
    })
    const set = answer.headers.get('set-cookie')
    if (set !== null) this.cookie = set.split(';', 1)[0]!
    return { status: answer.status, text: await answer.text(), headers: answer.headers }
  }
}

/** Signed in with a ticket. */
export async function enter({ url, signIn }: ServedConsole): Promise<Visitor> {
  const visitor = new Visitor(url)
  await visitor.get(signIn)
  return visitor
}

/**
 * Follows the links of the console from one page on: three of each kind, since pages that differ in
 * a number alone, a day or an id, are made by the same code. Answers what each address gave.
 */
export async function walk(visitor: Visitor, start: string): Promise<Answers> {
  const answers: Answers = new Map()
  const taken = new Map<string, number>()
  const open = [start]
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const kind = path.replaceAll(/[0-9a-f]{8,}|\d+/g, '0')
    const before = taken.get(kind) ?? 0
    if (answers.has(path) || before === 3) continue
    taken.set(kind, before + 1)
    const { text, headers } = await visitor.get(path)
    answers.set(path, { text, type: headers.get('content-type') ?? '' })
    if (!answers.get(path)!.type.includes('html')) continue
    for (const [, href] of text.matchAll(/<a href="([^"]+)"/g))
      open.push(href!.replaceAll('&amp;', '&'))
  }
  return answers
}
export type Answers = Map<string, { text: string; type: string }>

/** The path as it is: `fetch` would take `..` out of it. */
export const statusOf = ({ url, cookie }: Visitor, path: string): Promise<number | undefined> => {
  const { hostname, port, host } = new URL(url)
  return new Promise(resolve =>
    get({ hostname, port, path, headers: { host, cookie } }, answer => {
      answer.resume()
      resolve(answer.statusCode)
    }),
  )
}

export const csrfOf = ({ text }: Answer): string => /name="_csrf" value="([^"]+)"/.exec(text)![1]!
