import { writeFileSync } from 'node:fs'
import { isSuccess, readValue } from '../../connectors/partner/call.ts'
import type { Operation } from '../../connectors/partner/contract/operation.ts'
import { refusal } from '../../connectors/partner/refusal.ts'
import type { PartnerAnswer } from '../../connectors/partner/request.ts'
import { codeOf, diskError } from '../../disk.ts'
import { TillageError } from '../../errors.ts'
import { mask } from '../../secrets.ts'
import { parseExact } from '../../text/exact-json.ts'
import { errorAsJson, formatError } from '../terminal/error.ts'
import type { Terminal } from '../terminal/terminal.ts'

interface Answered {
  operation: Operation
  answer: PartnerAnswer
  /** What was asked, as it may be shown. */
  request: string
}

interface Output {
  terminal: Terminal
  /** Keys that the API may have repeated. */
  secrets: readonly string[]
  /** The file that the answer goes to, instead of stdout. */
  out: string | undefined
}

const REMEDY =
  'The answer of the API is above; openapi.json and tillage api --list say what is documented.'

/** So much of a refusal is shown. */
const MOST_SHOWN = 4000

/**
 * Prints or writes an answer, without the keys. 0 if it is a success as documented; 1 if not, with
 * what the API said.
 */
export async function showAnswer(answered: Answered, output: Output): Promise<number> {
  const { operation, answer, request } = answered
  const { terminal, secrets } = output
  try {
    if (!isSuccess(operation.answer, answer))
      throw await refusal({ name: request, isWrite: false }, answer, REMEDY)
    const value = readValue(operation.answer, answer, request)
    if (Buffer.isBuffer(value)) writeBinary(value, answer, output)
    else writeText(answered, textOf(value, answer, terminal.json), output)
    return 0
  } catch (error) {
    if (!(error instanceof TillageError)) throw error
    if (answer.body.length > 0)
      terminal.log(mask(unescapeJson(answer.body.toString('utf8')), secrets).slice(0, MOST_SHOWN))
    terminal.log(formatError(error))
    if (terminal.json) terminal.print(JSON.stringify({ error: errorAsJson(error) }))
    return 1
  }
}

/** A binary answer needs `--out`; without it nothing was sent. */
function writeBinary(value: Buffer, { headers }: PartnerAnswer, { terminal, out }: Output): void {
  const file = out!
  writeNamed(file, value)
  const contentType = String(headers['content-type'] ?? '')
  const cacheControl = String(headers['cache-control'] ?? '')
  const facts = { file, bytes: value.length, contentType, cacheControl }
  const cached = cacheControl === '' ? '' : ` (${cacheControl})`
  terminal.print(
    terminal.json
      ? JSON.stringify(facts)
      : `${file}: ${value.length} bytes of ${contentType || 'unknown type'}${cached}`,
  )
}

function writeText(
  { answer, request }: Answered,
  text: string,
  { terminal, secrets, out }: Output,
): void {
  const isEmpty = answer.body.length === 0
  if (out !== undefined) {
    writeNamed(out, `${mask(text, secrets)}\n`)
    terminal.print(terminal.json ? JSON.stringify({ file: out }) : `${out} is written`)
  } else if (!isEmpty || terminal.json) terminal.print(mask(text, secrets))
  if (isEmpty) terminal.log(`${request} answered ${answer.status}, without a body.`)
}

/** The file that `--out` names; what was there before is replaced. */
function writeNamed(file: string, content: string | Buffer): void {
  try {
    writeFileSync(file, content)
  } catch (error) {
    const details = { kept: 'what it holds now is not whole', cause: error }
    throw diskError(file, codeOf(error), details) ?? error
  }
}

function textOf(value: unknown, { body }: PartnerAnswer, asJson: boolean): string {
  if (typeof value === 'string') return asJson ? JSON.stringify(value) : value
  return body.length === 0 ? 'null' : inOwnDigits(body.toString('utf8'), asJson ? 0 : 2)
}

/** The same JSON, laid out; numbers keep their digits. */
const inOwnDigits = (text: string, indent: number): string =>
  JSON.stringify(parseExact(text), null, indent)

/** What an API said when it refused: with escapes decoded, so that the mask finds a key in it. */
function unescapeJson(text: string): string {
  try {
    return inOwnDigits(text, 0)
  } catch {
    return text
  }
}
