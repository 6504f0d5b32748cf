import { afterAll } from 'vitest'
import type { Sandbox, SandboxOptions } from '../../sandbox/server.ts'
import { startSandbox } from '../../sandbox/server.ts'

/** A record as `JSON.parse` gives it. */
export type Row = Record<string, unknown> & { id: string; modified: number }

export interface Answer {
  status: number
  headers: Headers
  text: string
}

const running: Sandbox[] = []

const SMALL: SandboxOptions = { until: '2026-03-15', days: 14, transactionsPerDay: 60 }

/** A small sandbox whose data ends on a fixed day; closed after the file. */
export async function sandboxWith(
  options: SandboxOptions = {},
  usual: SandboxOptions = SMALL,
): Promise<Sandbox> {
  const sandbox = await startSandbox({ ...usual, ...options })
  running.push(sandbox)
  return sandbox
}

afterAll(async () => {
  await Promise.all(running.splice(0).map(sandbox => sandbox.close()))
})

export function keysOf(sandbox: Sandbox, store = 0): Record<string, string> {
  return { 'x-api-key': sandbox.partnerKey, authorization: sandbox.stores[store]!.developerKey }
}

export async function ask(
  sandbox: Sandbox,
  path: string,
  options: { store?: number; headers?: Record<string, string>; method?: string } = {},
): Promise<Answer> {
  const response = await fetch(`${sandbox.baseUrl}/api/v1/partner${path}`, {
    method: options.method ?? 'GET',
    headers: options.headers ?? keysOf(sandbox, options.store),
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** Sends a body: a text as it is, anything else as JSON. */
export async function send(
  sandbox: Sandbox,
  method: string,
  path: string,
  body?: unknown,
  type = 'application/json',
  headers = keysOf(sandbox),
): Promise<Answer> {
  const init =
    body === undefined
      ? { method, headers }
      : {
          method,
          headers: { ...headers, 'content-type': type },
          body: typeof body === 'string' ? body : JSON.stringify(body),
        }
  const response = await fetch(`${sandbox.baseUrl}/api/v1/partner${path}`, init)
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** Sends a body and reads the record that comes back. */
export async function sendJson(
  sandbox: Sandbox,
  method: string,
  path: string,
  body?: unknown,
): Promise<Row> {
  const answer = await send(sandbox, method, path, body)
  if (answer.status !== 200)
    throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`)
  return JSON.parse(answer.text) as Row
}

/** Status and field of a refusal, whose body must be as documented. */
export async function refusal(
  sandbox: Sandbox,
  method: string,
  path: string,
  body?: unknown,
): Promise<[status: number, field: string]> {
  const answer = await send(sandbox, method, path, body)
  const error = JSON.parse(answer.text) as Record<string, string>
  if (Object.keys(error).join() !== 'field,message,errorType')
    throw new Error(`${method} ${path} answered ${answer.text}`)
  return [answer.status, error['field']!]
}

export async function askJson<T>(sandbox: Sandbox, path: string, store = 0): Promise<T> {
  const answer = await ask(sandbox, path, { store })
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${answer.text}`)
  return JSON.parse(answer.text) as T
}

export interface Page {
  values: Row[]
  skip: number
  limit: number
  total: number
}

/** Every row of a list, page by page, as far as the total goes. */
export async function everything(sandbox: Sandbox, path: string, store = 0): Promise<Row[]> {
  const rows: Row[] = []
  for (;;) {
    const page = await askJson<Page>(
      sandbox,
      `${path}${path.includes('?') ? '&' : '?'}start=${rows.length}`,
      store,
    )
    rows.push(...page.values)
    if (page.values.length === 0 || rows.length >= page.total) return rows
  }
}

/** All transactions of the 14 days, in two windows that the API allows. */
export async function allTransactions(sandbox: Sandbox, store = 0): Promise<Row[]> {
  const windows = [
    'startDate=03/01/2026&endDate=03/07/2026',
    'startDate=03/08/2026&endDate=03/14/2026',
  ]
  return (
    await Promise.all(windows.map(window => everything(sandbox, `/transactions?${window}`, store)))
  ).flat()
}

export async function control(
  sandbox: Sandbox,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const init =
    body === undefined
      ? { method }
      : { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const response = await fetch(`${sandbox.baseUrl}/_control${path}`, init)
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** What a list really holds, by the control route. */
export async function truth(
  sandbox: Sandbox,
  stream: string,
  more = '',
  store = 0,
): Promise<Row[]> {
  const answer = await control(
    sandbox,
    'GET',
    `/records?store=${sandbox.stores[store]!.id}&stream=${stream}${more}`,
  )
  return answer.text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Row)
}

export const idsOf = (rows: readonly Row[]): string[] => rows.map(row => row.id)
