import { consumerAnswer, findConsumer, hashPassword, needConsumer } from '../commerce/consumers.ts'
import { recordOf, recordsOf, textOf } from '../commerce/values.ts'
import { emit } from '../events/emit.ts'
import { ApiError, invalid, notFound } from '../http/api-error.ts'
import { readText } from '../http/parameters.ts'
import type { JsonRecord } from '../model/collection.ts'
import { withoutOwn } from '../model/records.ts'
import { isTime } from '../values/calendar.ts'
import { play } from './play.ts'
import type { Call, Route } from './route.ts'
import { OtherAnswer } from './route.ts'

/** Changes the consumer of the request and answers it. */
function change(call: Call, patch: (consumer: JsonRecord) => JsonRecord): JsonRecord {
  const { consumer_users: consumers } = call.world.lists
  const number = needConsumer(call)
  const consumer = consumers.read(number)
  consumers.edit(number, { ...patch(consumer), updated: true }, call.nowMs)
  emit(call, 'UPDATE_CONSUMER_USER', consumers, String(consumer['id']))
  return consumerAnswer(call, number)
}

/**
 * "full ConsumerUser". Reading: what is left out stays, for nobody can send back a password that is
 * never answered.
 */
const update: Route['answer'] = call =>
  change(call, consumer => {
    const email = textOf(call.body['email']) ?? String(consumer['email'])
    const other = findConsumer(call, { email })
    if (other !== undefined && other !== needConsumer(call))
      throw new ApiError(
        400,
        'email',
        'A consumer user with this email exists already',
        'partner.exceptions.DuplicateUserException',
      )
    const { password, ...rest } = withoutOwn(call.exact)
    if (email !== consumer['email'] && password === undefined && consumer['password'] !== undefined)
      throw invalid('password', 'password is required to change email')
    return {
      ...rest,
      ...(typeof password === 'string' && password !== ''
        ? { password: hashPassword(password, email) }
        : {}),
    }
  })

const day = (ms: unknown): string | undefined =>
  typeof ms === 'number' && isTime(ms) ? new Date(ms).toISOString().slice(0, 10) : undefined

/** Reading: a recommendation is known by its number; it is Verified until it expires. */
const verify: Route['answer'] = call => {
  const consumer = call.world.lists.consumer_users.read(needConsumer(call))
  const recNo = readText(call.query, 'recNo') ?? textOf(consumer['recNo'])
  if (recNo === undefined) throw invalid('recNo', 'recNo is required')
  const own = recNo === consumer['recNo']
  const expiresMs = consumer['recExpiration']
  const known = typeof expiresMs === 'number' && expiresMs <= call.nowMs ? 'Expired' : 'Verified'
  return {
    patientName: `${String(consumer['firstName'])} ${String(consumer['lastName'])}`,
    recommendationExpDate: own ? day(consumer['recExpiration']) : undefined,
    recommendationIssueDate: own ? day(consumer['recIssueDate']) : undefined,
    recommendationStatus: own ? known : 'NotFound',
  }
}

/** Photos are files that only their consumer can get. */
const photo =
  (field: 'dlPhoto' | 'recPhoto'): Route['answer'] =>
  call =>
    change(call, consumer => {
      const file = recordOf(call.exact['file'])
      if (!Buffer.isBuffer(file['bytes']) || file['bytes'].length === 0)
        throw invalid('file', 'file is required')
      const { asset_files: files } = call.world.lists
      const key = files.idOf(files.nextNumber)
      const type = textOf(file['type']) ?? 'application/octet-stream'
      files.insert(
        { id: key, consumerId: consumer['id'], type, base64: file['bytes'].toString('base64') },
        call.nowMs,
      )
      return {
        [field]: {
          id: key,
          key,
          name: textOf(call.body['name']) ?? textOf(file['name']) ?? field,
          type: 'Photo',
          active: true,
          secured: true,
        },
      }
    })

const asset: Route['answer'] = call => {
  const consumer = call.world.lists.consumer_users.read(needConsumer(call))
  const file = call.world.lists.asset_files.get(call.params['assetKey']!)
  if (file === undefined || file['consumerId'] !== consumer['id'])
    throw notFound('assetKey', 'There is no such asset')
  return new OtherAnswer({
    type: String(file['type']),
    body: Buffer.from(String(file['base64']), 'base64'),
    headers: { 'cache-control': 'private, max-age=2592000' },
  })
}

export const consumerUserRoutes: readonly Route[] = [
  play('getConsumerUser', call => consumerAnswer(call, needConsumer(call))),
  play('updateConsumerUser', update, { merges: true }),
  play('verifyConsumerUser', verify),
  play('signContract', call =>
    change(call, consumer => ({
      accepted: true,
      acceptedDate: call.nowMs,
      signedContracts: [
        ...recordsOf(consumer['signedContracts']),
        { contractId: call.body['contractId'], signedDate: call.nowMs },
      ],
    })),
  ),
  play('uploadDlPhoto', photo('dlPhoto')),
  play('uploadRecPhoto', photo('recPhoto')),
  play('getConsumerAsset', asset),
]
