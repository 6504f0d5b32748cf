import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import type { DataConverter } from '@temporalio/client'
import type { WorkerOptions } from '@temporalio/worker'
import { readOrMakeSecret } from '../connectors/database.ts'
import type { PlacedDatabase } from '../connectors/destination/place.ts'
import { TemporalError } from '../errors.ts'
import type { AnswerOfRun } from '../workflows/results.ts'

/** How the messages of a database are protected on their way through Temporal. */
export interface MessageProtection {
  /** What only workers and commands of this database know. */
  key: string
  /** Not only signed: nobody else can read them. */
  encrypt: boolean
}

/** As it stands in `tillage.yaml`. */
export interface ConfiguredProtection extends PlacedDatabase {
  temporal: 'embedded' | { messageKey?: string | undefined; encrypt: boolean }
}

export const messageProtection = async ({
  temporal,
  ...place
}: ConfiguredProtection): Promise<MessageProtection> => ({
  key: (temporal === 'embedded' ? undefined : temporal.messageKey) ?? (await keptKey(place)),
  encrypt: temporal !== 'embedded' && temporal.encrypt,
})

/**
 * With the database, and in no backup that we make: work that is open when it is lost is ended and
 * begun anew.
 */
const keptKey = (place: PlacedDatabase): Promise<string> =>
  readOrMakeSecret(place, {
    name: 'message-key',
    make: () => randomBytes(32).toString('hex'),
    remedy: 'remove it: a new one is made, and work that is open is begun anew',
  })

type PayloadCodec = NonNullable<DataConverter['payloadCodecs']>[number]
type Payload = Awaited<ReturnType<PayloadCodec['encode']>>[number]
type Context = Parameters<PayloadCodec['encode']>[1]

/** Hears of the workflow that a message was for which was not ours; undefined: nobody knows. */
export type OnRefused = (workflowId: string | undefined, why: string) => void

/** Names in histories: never rename one. */
const FOR = 'tillage-for'
const MAC = 'tillage-mac'
const ENCODING = 'encoding'
const SEALED = 'binary/tillage-sealed'
/** Of AES-GCM. */
const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Signs all that goes to Temporal, and refuses whatever comes from there without our signature: a
 * start, an update, a result, details of a failure (MESSAGE_REFUSED). Each says which workflow, or
 * which activity of it, it is for, and is taken nowhere else. Ours or not, none is an approval
 * (INV-8). Signed payloads stay readable JSON; `encrypt` seals them, and both are understood, so
 * that changing the setting strands nothing.
 */
export function createPayloadCodec(
  { key, encrypt }: MessageProtection,
  onRefused: OnRefused = () => {},
): PayloadCodec {
  const keys = { mac: derive(key, 'sign'), seal: derive(key, 'seal') }
  const open = (payload: Payload, context: Context): Payload => {
    if (isWordOfServer(payload, context)) return payload
    const opened = openOne(payload, keys, context)
    if (typeof opened !== 'string') return opened
    onRefused(context?.workflowId, opened)
    throw refused(context, opened)
  }
  return {
    encode: async (payloads, context) =>
      payloads.map(payload => (encrypt ? seal : sign)(payload, keys, placeOf(context))),
    decode: async (payloads, context) => payloads.map(payload => open(payload, context)),
  }
}

/** What the server itself says of an activity that was cancelled before a worker had it. */
const NOT_STARTED = '"ACTIVITY_ID_NOT_STARTED"'

const isWordOfServer = (payload: Payload, context: Context): boolean =>
  context?.type === 'activity' && dataOf(payload).toString() === NOT_STARTED

interface Keys {
  mac: Buffer
  seal: Buffer
}

const derive = (key: string, use: string): Buffer =>
  Buffer.from(hkdfSync('sha256', key, '', `tillage messages 1 ${use}`, 32))

const refused = (context: Context, why: string): TemporalError =>
  new TemporalError(
    'MESSAGE_REFUSED',
    `a message for ${placeOf(context) || 'this database'} was not obeyed: ${why}`,
    {
      remedy:
        'Somebody else wrote to Temporal, or temporal.messageKey is another than when it was ' +
        'sent. What is due is begun anew: run the same command again, or tillage schedule apply.',
    },
  )

/** What a message is for. Temporal adds the time to the id of what a schedule starts. */
function placeOf(context: Context): string {
  if (context?.workflowId === undefined) return ''
  const workflowId = context.workflowId.replace(/^(scheduled\/.*)-\d{4}-\d\d-\d\dT[\d:]+Z$/, '$1')
  const activity = context.type === 'activity' ? `#${context.activityId ?? ''}` : ''
  return `${context.namespace}/${workflowId}${activity}`
}

function sign(payload: Payload, keys: Keys, place: string): Payload {
  const { metadata } = payload
  const data = dataOf(payload)
  const encoding = textOf(metadata?.[ENCODING])
  const mac = macOf(keys, { place, encoding, data })
  return { metadata: { [ENCODING]: bytesOf(encoding), [FOR]: bytesOf(place), [MAC]: mac }, data }
}

function seal(payload: Payload, keys: Keys, place: string): Payload {
  const encoding = textOf(payload.metadata?.[ENCODING])
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', keys.seal, nonce).setAAD(bytesOf(place))
  const plain = Buffer.concat([bytesOf(`${encoding}\n`), dataOf(payload)])
  const sealed = [nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]
  return {
    metadata: { [ENCODING]: bytesOf(SEALED), [FOR]: bytesOf(place) },
    data: Buffer.concat(sealed),
  }
}

/** The payload as it was before it went to Temporal, or why it is refused. */
function openOne(payload: Payload, keys: Keys, context: Context): Payload | string {
  const place = textOf(payload.metadata?.[FOR])
  const isSealed = textOf(payload.metadata?.[ENCODING]) === SEALED
  const opened = isSealed ? unseal(payload, keys, place) : check(payload, keys, place)
  if (opened === undefined) return 'it is not signed with the key of this database'
  const wanted = placeOf(context)
  return wanted === '' || wanted === place ? opened : `it was written for ${place || 'no workflow'}`
}

function check(payload: Payload, keys: Keys, place: string): Payload | undefined {
  const { metadata } = payload
  const data = dataOf(payload)
  const encoding = textOf(metadata?.[ENCODING])
  const given = metadata?.[MAC] ?? bytesOf('')
  const mac = macOf(keys, { place, encoding, data })
  const isOurs = given.length === mac.length && timingSafeEqual(given, mac)
  return isOurs ? { metadata: { [ENCODING]: bytesOf(encoding) }, data } : undefined
}

function unseal(payload: Payload, keys: Keys, place: string): Payload | undefined {
  const sealed = dataOf(payload)
  const [nonce, tag] = [sealed.subarray(0, NONCE_BYTES), sealed.subarray(-TAG_BYTES)]
  try {
    const cipher = createDecipheriv('aes-256-gcm', keys.seal, nonce, { authTagLength: TAG_BYTES })
    cipher.setAAD(bytesOf(place)).setAuthTag(tag)
    const plain = Buffer.concat([
      cipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)),
      cipher.final(),
    ])
    const end = plain.indexOf('\n')
    return { metadata: { [ENCODING]: plain.subarray(0, end) }, data: plain.subarray(end + 1) }
  } catch {
    return undefined
  }
}

interface Signed {
  place: string
  encoding: string
  data: Uint8Array
}

/** No part can end where another begins: JSON holds no line break. */
const macOf = ({ mac }: Keys, { place, encoding, data }: Signed): Buffer =>
  createHmac('sha256', mac)
    .update(`${JSON.stringify([place, encoding])}\n`)
    .update(data)
    .digest()

/** Of a payload that holds nothing, the SDK makes a list. */
const dataOf = ({ data }: Payload): Buffer => Buffer.from(data ?? [])
const bytesOf = (text: string): Buffer => Buffer.from(text, 'utf8')
const textOf = (bytes: Uint8Array | null | undefined): string =>
  bytes ? Buffer.from(bytes).toString('utf8') : ''

/**
 * Each answer of an activity says which run of a workflow it is for: one that somebody copies out
 * of the history of an earlier run is not taken (`workflows/refuse-unsigned.ts`).
 */
export const interceptors: NonNullable<WorkerOptions['interceptors']> = {
  activity: [
    ({ info }) => ({
      inbound: {
        execute: async (input, next): Promise<AnswerOfRun> => ({
          ofRun: info.workflowExecution?.runId ?? '',
          answer: await next(input),
        }),
      },
    }),
  ],
}
