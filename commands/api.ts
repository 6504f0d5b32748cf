import { readFileSync, writeFileSync } from 'node:fs'
import { basename, extname } from 'node:path'
import type { Config, StoreConfig } from '../config.ts'
import { isSuccess, readValue } from '../connectors/partner/call.ts'
import { createPartnerClient, refusal, told } from '../connectors/partner/client.ts'
import type { PartnerAnswer, PartnerRequest } from '../connectors/partner/client.ts'
import { operations } from '../connectors/partner/contract/index.ts'
import { pathParameters } from '../connectors/partner/contract/operation.ts'
import type { Operation } from '../connectors/partner/contract/operation.ts'
import { buildRequest } from '../connectors/partner/request.ts'
import type { Consumer } from '../connectors/partner/request.ts'
import { TillageError, UsageError } from '../errors.ts'
import { mask } from '../secrets.ts'
import { chooseStores } from './choices.ts'
import { declareCommand, option } from './command.ts'
import type { Context } from './command.ts'
import { findOperation } from './find-operation.ts'
import { listOperations } from './list-operations.ts'
import { errorAsJson, formatError } from './terminal.ts'
import type { Terminal } from './terminal.ts'

export interface ApiOptions {
  list?: string | true
  param?: readonly string[]
  body?: string
  store?: string
  out?: string
  write?: boolean
  dryRun?: boolean
}

const REMEDY =
  'What the API said stands above; openapi.json and tillage api --list say what is documented.'

/**
 * `tillage api METHOD PATH`: calls one documented operation, once. 0 if it answered as documented,
 * 1 if not.
 */
export async function api(
  context: Context,
  options: ApiOptions,
  method?: string,
  path?: string,
): Promise<number> {
  const { terminal, signal } = context
  if (options.list !== undefined) return listOperations(options.list, terminal)
  if (method === undefined || path === undefined)
    throw new UsageError(
      'api needs a method and a path',
      'For example: tillage api GET /store. All operations: tillage api --list.',
    )
  const { operation, parameters, names } = findOperation(operations, method, path)
  const given = { ...parameters, ...readParameters(options.param ?? [], names) }
  const store = chooseStore(context.config, options.store, operation, terminal)
  const request = requestOf(operation, given, options.body, terminal)
  if (operation.answer.kind === 'binary' && options.out === undefined)
    throw new UsageError(
      `${operation.method} ${operation.path} answers a file`,
      'Say where it goes: --out FILE.',
    )
  const origin = new URL(store.baseUrl).origin
  if (options.dryRun === true || changes(operation))
    terminal.log(mask(preview(request, origin, store.id), keysOf(store)))
  if (options.dryRun === true) {
    if (terminal.json)
      terminal.print(
        mask(
          JSON.stringify({
            method: request.method,
            path: request.path,
            query: request.query,
            sent: false,
          }),
          keysOf(store),
        ),
      )
    return 0
  }
  if (operation.writes === true && options.write !== true)
    throw new UsageError(
      `${operation.method} ${operation.path} changes something although it is a GET; nothing was sent`,
      'Add --write to send it.',
    )
  const client = createPartnerClient(store)
  try {
    const answer = await client.send(request, signal)
    return finish(operation, answer, told(request, origin), options.out, {
      terminal,
      secrets: keysOf(store),
    })
  } finally {
    await client.close()
  }
}

const keysOf = ({ partnerKey, developerKey }: StoreConfig): string[] => [partnerKey, developerKey]
const isRead = (method = 'GET'): boolean => method.toUpperCase() === 'GET'

const changes = ({ method, writes }: Operation): boolean => method !== 'GET' || writes === true

/** The named store, or the first; where something changes, several stores must not be mixed up. */
function chooseStore(
  config: Config,
  id: string | undefined,
  operation: Operation,
  terminal: Terminal,
): StoreConfig {
  const [first, ...others] = chooseStores(config, id)
  if (others.length > 0 && changes(operation))
    throw new UsageError(
      `${operation.method} ${operation.path} changes something, and there are several stores`,
      `Name one with --store: ${[first, ...others].join(', ')}.`,
    )
  if (others.length > 0) terminal.log(`Asking store ${first}; --store names another.`)
  return config.stores.find(store => store.id === first)!
}

/** `--param name=value`; a repeated name is a list. */
function readParameters(
  params: readonly string[],
  names: Readonly<Record<string, string>>,
): Record<string, string | string[]> {
  const read: Record<string, string | string[]> = {}
  for (const param of params) {
    const at = param.indexOf('=')
    if (at < 1)
      throw new UsageError('a --param has no name and value', 'Write it as --param name=value.')
    const typed = param.slice(0, at)
    const name = names[typed] ?? typed
    const value = param.slice(at + 1)
    const before = read[name]
    read[name] = before === undefined ? value : [before, value].flat()
  }
  return read
}

/**
 * Sorts parameters into path, query, headers and parts, and says where the contract knows better.
 */
function requestOf(
  operation: Operation,
  given: Readonly<Record<string, string | string[]>>,
  bodyFile: string | undefined,
  terminal: Terminal,
): PartnerRequest {
  const queried = Object.keys(operation.query?.shape ?? {})
  const parts = operation.body?.kind === 'multipart' ? Object.keys(operation.body.schema.shape) : []
  const parameters: Record<string, string | string[]> = {}
  const form: Record<string, string | Blob> = {}
  const consumer: Consumer = {}
  for (const [name, value] of Object.entries(given)) {
    const known = pathParameters(operation.path).includes(name) || queried.includes(name)
    if (!known && name.toLowerCase() === 'x-auth-token') consumer.token = String(value)
    else if (!known && name === 'cuid') consumer.cuid = String(value)
    else if (!known && parts.includes(name)) form[name] = String(value)
    else {
      if (!known)
        terminal.log(
          `${name} is not documented for this operation; it is sent as a query parameter.`,
        )
      parameters[name] = value
    }
  }
  const missing = pathParameters(operation.path).filter(name =>
    ['', '.', '..'].includes(String(parameters[name] ?? '')),
  )
  if (missing.length > 0)
    throw new UsageError(
      `${operation.method} ${operation.path} needs ${missing.join(', ')}`,
      `Add ${missing.map(name => `--param ${name}=...`).join(' ')}.`,
    )
  if (
    operation.needs.includes('consumer') &&
    parameters['cuid'] === undefined &&
    consumer.cuid === undefined &&
    consumer.token === undefined
  )
    terminal.log(
      'This operation needs a consumer: --param cuid=... or --param X-Auth-Token=..., which a login answers.',
    )
  const body = bodyFile === undefined ? undefined : readBody(operation, bodyFile, form, terminal)
  return {
    ...buildRequest(operation, {
      parameters,
      body: body ?? (Object.keys(form).length > 0 ? form : undefined),
      consumer,
    }),
    shownAs: operation.path,
  }
}

/** The documented types of assets. */
const FILE_TYPES: Readonly<Record<string, string>> = {
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.png': 'image/png',
  '.pdf': 'application/pdf',
  '.kml': 'application/vnd.google-earth.kml+xml',
}

/** JSON goes out as it stands in the file, digit by digit. */
function readBody(
  operation: Operation,
  file: string,
  form: Readonly<Record<string, string | Blob>>,
  terminal: Terminal,
): unknown {
  if (operation.method === 'GET')
    throw new UsageError(`GET ${operation.path} takes no body`, 'Leave out --body.')
  const bytes = readBytes(file)
  if (operation.body?.kind === 'multipart')
    return {
      ...form,
      file: new File([new Uint8Array(bytes)], file === '-' ? 'stdin' : basename(file), {
        type: FILE_TYPES[extname(file).toLowerCase()] ?? '',
      }),
    }
  const text = bytes.toString('utf8')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new UsageError(
      `${file === '-' ? 'what stdin holds' : file} is not JSON; nothing was sent`,
      'Check it with another program; the API takes JSON bodies.',
    )
  }
  const checked = operation.body?.schema.safeParse(value)
  for (const { path, message } of checked?.error?.issues ?? [])
    terminal.log(
      `The contract expects otherwise: ${path.join('.') || 'the body'} (${message}). It is sent as it is.`,
    )
  return text
}

function readBytes(file: string): Buffer {
  try {
    return readFileSync(file === '-' ? 0 : file)
  } catch (cause) {
    throw new UsageError(
      `${file} cannot be read (${String((cause as NodeJS.ErrnoException).code)}); nothing was sent`,
      'Name a file with --body, or - for stdin.',
    )
  }
}

function preview(request: PartnerRequest, origin: string, store: string): string {
  const query = new URLSearchParams(request.query as [string, string][]).toString()
  const body =
    request.body === undefined
      ? 'no body'
      : typeof request.body === 'string'
        ? `a JSON body of ${Buffer.byteLength(request.body)} bytes`
        : 'a multipart body'
  return `${request.method} ${origin}${request.path}${query === '' ? '' : `?${query}`} for store ${store}, with ${body}`
}

interface Output {
  terminal: Terminal
  secrets: readonly string[]
}

/**
 * Prints or writes an answer; one that is no success is shown with what the API said, without the
 * keys.
 */
function finish(
  operation: Operation,
  answer: PartnerAnswer,
  request: string,
  out: string | undefined,
  { terminal, secrets }: Output,
): number {
  try {
    if (!isSuccess(operation.answer, answer)) throw refusal(request, answer, REMEDY)
    const value = readValue(operation.answer, answer, request)
    if (Buffer.isBuffer(value)) {
      writeFileSync(out!, value)
      const facts = {
        file: out!,
        bytes: value.length,
        contentType: String(answer.headers['content-type'] ?? ''),
        cacheControl: String(answer.headers['cache-control'] ?? ''),
      }
      terminal.print(
        terminal.json
          ? JSON.stringify(facts)
          : `${facts.file}: ${facts.bytes} bytes of ${facts.contentType || 'unknown type'}${facts.cacheControl === '' ? '' : ` (${facts.cacheControl})`}`,
      )
      return 0
    }
    const text =
      typeof value === 'string'
        ? terminal.json
          ? JSON.stringify(value)
          : value
        : answer.body.length === 0
          ? 'null'
          : inOwnDigits(answer.body.toString('utf8'), terminal.json ? 0 : 2)
    if (out !== undefined) writeFileSync(out, `${mask(text, secrets)}\n`)
    if (out !== undefined)
      terminal.print(terminal.json ? JSON.stringify({ file: out }) : `${out} is written`)
    else if (answer.body.length > 0 || terminal.json) terminal.print(mask(text, secrets))
    if (answer.body.length === 0)
      terminal.log(`${request} answered ${answer.status}, without a body.`)
    return 0
  } catch (error) {
    if (!(error instanceof TillageError)) throw error
    if (answer.body.length > 0)
      terminal.log(mask(readable(answer.body.toString('utf8')), secrets).slice(0, 4000))
    terminal.log(formatError(error))
    if (terminal.json) terminal.print(JSON.stringify({ error: errorAsJson(error) }))
    return 1
  }
}

/** The same JSON, laid out; numbers keep their digits. */
function inOwnDigits(text: string, indent: number): string {
  const keep = (_key: string, value: unknown, context?: { source?: string }): unknown =>
    typeof value === 'number' && context?.source !== undefined
      ? JSON.rawJSON(context.source)
      : value
  return JSON.stringify(JSON.parse(text, keep), null, indent)
}

/** What an API said when it refused: with escapes decoded, so that the mask finds a key in it. */
function readable(text: string): string {
  try {
    return inOwnDigits(text, 0)
  } catch {
    return text
  }
}

export const command = declareCommand<ApiOptions, [string?, string?]>({
  takes: '[method] [path]',
  options: [
    option('--list [group]', 'the operations there are, of one group or of all'),
    option('--param <name=value>', 'a parameter of path, query or header; may be repeated')
      .argParser((value: string, before: string[]) => [...before, value])
      .default([]),
    option('--body <file>', 'what to send: JSON, or the file of an upload; - is stdin'),
    option('--out <file>', 'where the answer goes'),
    option('--dry-run', 'tells what would be sent, and sends nothing'),
    option('--write', 'yes, call a GET that changes something'),
  ],
  notes: '--store says which store; without it, the first.',
  audited: ({ store, write, dryRun, list }, method, path) =>
    list === undefined && dryRun !== true && (write === true || !isRead(method))
      ? { method, path: path?.replace(/\?.*/s, ''), store }
      : undefined,
  run: api,
})
