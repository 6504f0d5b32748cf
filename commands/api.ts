import type { Config, StoreConfig } from '../config.ts'
import { STANDARD_INPUT } from '../config/source.ts'
import { createPartnerClient } from '../connectors/partner/client.ts'
import type { PartnerClient } from '../connectors/partner/client.ts'
import { operations } from '../connectors/partner/contract/index.ts'
import type { Operation } from '../connectors/partner/contract/operation.ts'
import { describeRequest } from '../connectors/partner/request.ts'
import type { PartnerRequest } from '../connectors/partner/request.ts'
import { UsageError } from '../errors.ts'
import { mask } from '../secrets.ts'
import { showAnswer } from './api/answer.ts'
import { findOperation } from './api/find-operation.ts'
import { listOperations } from './api/list-operations.ts'
import { readParameters, requestOf } from './api/request.ts'
import { chooseStores } from './arguments/choices.ts'
import { declareCommand, option } from './command.ts'
import type { Context } from './command.ts'
import { openConfiguredStore } from './database/open-configured-store.ts'
import type { Terminal } from './terminal/terminal.ts'

export interface ApiOptions {
  config?: string
  list?: string | true
  param?: readonly string[]
  body?: string
  store?: string
  out?: string
  write?: boolean
  dryRun?: boolean
}

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
  const { terminal } = context
  if (options.list !== undefined) return listOperations(options.list, terminal)
  if (method === undefined || path === undefined)
    throw new UsageError(
      'api needs a method and a path',
      'For example: tillage api GET /store. All operations: tillage api --list.',
    )
  const { operation, parameters, names } = findOperation(operations, method, path)
  const given = { ...parameters, ...readParameters(options.param ?? [], names) }
  refuseOneInputForTwo(options)
  const store = chooseStore(context.config, options.store, operation, terminal)
  const request = requestOf(operation, given, options.body, terminal)
  refuseUnsendable(operation, options)
  const secrets = [store.partnerKey, store.developerKey]
  if (options.dryRun === true || changes(operation))
    terminal.log(mask(preview(request, store), secrets))
  if (options.dryRun === true) {
    if (terminal.json) terminal.print(mask(previewAsJson(request), secrets))
    return 0
  }
  return send(context, { operation, store, request, out: options.out })
}

function refuseOneInputForTwo({ config, body }: ApiOptions): void {
  if (config === STANDARD_INPUT && body === STANDARD_INPUT)
    throw new UsageError(
      'the settings and the body cannot both come from the standard input; nothing was sent',
      'Name a file with --body, or with --config.',
    )
}

interface Call {
  operation: Operation
  store: StoreConfig
  request: PartnerRequest
  out: string | undefined
}

async function send(
  { config, terminal, signal }: Context,
  { operation, store, request, out }: Call,
): Promise<number> {
  const client = await openClient(config, store, operation)
  try {
    const answer = await client.send(request, signal)
    const asked = describeRequest(request, client.origin)
    const secrets = [store.partnerKey, store.developerKey]
    return await showAnswer({ operation, answer, request: asked }, { terminal, secrets, out })
  } finally {
    await client.close()
  }
}

/** A look at somebody else's shop changes nothing and is kept nowhere; a write asks first. */
async function openClient(
  config: Config,
  store: StoreConfig,
  operation: Operation,
): Promise<PartnerClient> {
  if (!changes(operation)) return createPartnerClient(store)
  const { client } = await openConfiguredStore(config, store)
  return client
}

function refuseUnsendable(operation: Operation, { out, dryRun, write }: ApiOptions): void {
  const name = `${operation.method} ${operation.path}`
  if (operation.answer.kind === 'binary' && out === undefined)
    throw new UsageError(`${name} answers a file`, 'Say where it goes: --out FILE.')
  if (dryRun !== true && operation.writes === true && write !== true)
    throw new UsageError(
      `${name} changes something although it is a GET; nothing was sent`,
      'Add --write to send it.',
    )
}

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

const originOf = ({ baseUrl }: StoreConfig): string => new URL(baseUrl).origin

function preview(request: PartnerRequest, store: StoreConfig): string {
  const query = new URLSearchParams(request.query as [string, string][]).toString()
  const address = `${originOf(store)}${request.path}${query === '' ? '' : `?${query}`}`
  return `${request.method} ${address} for store ${store.id}, with ${describeBody(request)}`
}

function describeBody({ body }: PartnerRequest): string {
  if (body === undefined) return 'no body'
  return typeof body === 'string'
    ? `a JSON body of ${Buffer.byteLength(body)} bytes`
    : 'a multipart body'
}

const previewAsJson = ({ method, path, query }: PartnerRequest): string =>
  JSON.stringify({ method, path, query, sent: false })

const isRead = (method = 'GET'): boolean => method.toUpperCase() === 'GET'

export const command = declareCommand<ApiOptions, [string?, string?]>({
  takes: '[method] [path]',
  options: [
    option('--list [group]', 'the operations there are, of one group or of all').conflicts([
      'param',
      'body',
      'out',
      'dryRun',
      'write',
    ]),
    option('--param <name=value>', 'a parameter of path, query or header; may be repeated')
      .argParser((value: string, before: string[]) => [...before, value])
      .default([]),
    option('--body <file>', 'what to send: JSON, or the file of an upload; - is stdin'),
    option('--out <file>', 'where the answer goes'),
    option('--dry-run', 'show the request; send nothing'),
    option('--write', 'confirm a GET that changes something'),
  ],
  notes: '--store chooses the store; default: the first.',
  audited: ({ store, write, dryRun, list }, method, path) =>
    list === undefined && dryRun !== true && (write === true || !isRead(method))
      ? { method, path: path?.replace(/\?.*/s, ''), store }
      : undefined,
  run: api,
})
