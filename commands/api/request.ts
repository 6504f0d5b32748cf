import { readFileSync } from 'node:fs'
import { basename, extname } from 'node:path'
import { buildRequest } from '../../connectors/partner/build-request.ts'
import type { Consumer } from '../../connectors/partner/build-request.ts'
import { pathParameters } from '../../connectors/partner/contract/operation.ts'
import type { Operation } from '../../connectors/partner/contract/operation.ts'
import type { PartnerRequest } from '../../connectors/partner/request.ts'
import { UsageError } from '../../errors.ts'
import type { Terminal } from '../terminal/terminal.ts'

type GivenParameters = Readonly<Record<string, string | string[]>>

/** `--param name=value`; a repeated name is a list. */
export function readParameters(
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
 * The request for an operation, out of what was typed; says where the contract knows better. Throws
 * a UsageError for what cannot be sent.
 */
export function requestOf(
  operation: Operation,
  given: GivenParameters,
  bodyFile: string | undefined,
  terminal: Terminal,
): PartnerRequest {
  const { parameters, form, consumer, undocumented } = sortParameters(operation, given)
  for (const name of undocumented)
    terminal.log(`${name} is not documented for this operation; it is sent as a query parameter.`)
  refuseMissing(operation, parameters)
  if (lacksConsumer(operation, parameters, consumer))
    terminal.log(
      'This operation needs a consumer: --param cuid=... or --param X-Auth-Token=..., ' +
        'which a login answers.',
    )
  const body = bodyFile === undefined ? undefined : readBody(operation, bodyFile, form, terminal)
  const formBody = Object.keys(form).length > 0 ? form : undefined
  return {
    ...buildRequest(operation, { parameters, body: body ?? formBody, consumer }),
    redactedPath: operation.path,
  }
}

interface SortedParameters {
  /** Of the path and the query. */
  parameters: Record<string, string | string[]>
  /** Parts of a multipart body. */
  form: Record<string, string | Blob>
  /** Headers that say on whose behalf something is asked. */
  consumer: Consumer
  undocumented: string[]
}

function sortParameters(operation: Operation, given: GivenParameters): SortedParameters {
  const queried = Object.keys(operation.query?.shape ?? {})
  const documented = new Set([...pathParameters(operation.path), ...queried])
  const parts = operation.body?.kind === 'multipart' ? Object.keys(operation.body.schema.shape) : []
  const sorted: SortedParameters = { parameters: {}, form: {}, consumer: {}, undocumented: [] }
  for (const [name, value] of Object.entries(given)) {
    if (documented.has(name)) sorted.parameters[name] = value
    else if (name.toLowerCase() === 'x-auth-token') sorted.consumer.token = String(value)
    else if (name === 'cuid') sorted.consumer.cuid = String(value)
    else if (parts.includes(name)) sorted.form[name] = String(value)
    else {
      sorted.undocumented.push(name)
      sorted.parameters[name] = value
    }
  }
  return sorted
}

/** An empty or a dotted part of a path would be another path. */
function refuseMissing(operation: Operation, parameters: GivenParameters): void {
  const missing = pathParameters(operation.path).filter(name =>
    ['', '.', '..'].includes(String(parameters[name] ?? '')),
  )
  if (missing.length === 0) return
  throw new UsageError(
    `${operation.method} ${operation.path} needs ${missing.join(', ')}`,
    `Add ${missing.map(name => `--param ${name}=...`).join(' ')}.`,
  )
}

const lacksConsumer = (
  { needs }: Operation,
  parameters: GivenParameters,
  { cuid, token }: Consumer,
): boolean =>
  needs.includes('consumer') &&
  [parameters['cuid'], cuid, token].every(given => given === undefined)

/** The documented types of assets. */
const FILE_TYPES: Readonly<Record<string, string>> = {
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.png': 'image/png',
  '.pdf': 'application/pdf',
  '.kml': 'application/vnd.google-earth.kml+xml',
}

function readBody(
  operation: Operation,
  file: string,
  form: SortedParameters['form'],
  terminal: Terminal,
): unknown {
  if (operation.method === 'GET')
    throw new UsageError(`GET ${operation.path} takes no body`, 'Leave out --body.')
  const bytes = readBytes(file)
  if (operation.body?.kind === 'multipart') return { ...form, file: asUpload(file, bytes) }
  return readJson(operation, file, bytes.toString('utf8'), terminal)
}

function asUpload(file: string, bytes: Buffer): File {
  const name = file === '-' ? 'stdin' : basename(file)
  const type = FILE_TYPES[extname(file).toLowerCase()] ?? ''
  return new File([new Uint8Array(bytes)], name, { type })
}

/** JSON goes out as it stands in the file, digit by digit. */
function readJson(operation: Operation, file: string, text: string, terminal: Terminal): string {
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
      `The contract expects otherwise: ${path.join('.') || 'the body'} (${message}). ` +
        'It is sent as it is.',
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
