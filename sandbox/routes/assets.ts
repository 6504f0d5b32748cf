import { ASSET_TYPES } from '../../connectors/partner/contract/resources/asset.ts'
import { invalid, notFound } from '../http/api-error.ts'
import type { Upload } from '../http/body.ts'
import { play } from './play.ts'
import type { Call, Route } from './route.ts'
import { OtherAnswer } from './route.ts'

const CACHED_SECONDS = 30 * 86_400
const ENDING: Readonly<Record<string, string>> = {
  'image/jpeg': '.jpg',
  'image/png': '.png',
  'application/pdf': '.pdf',
}

/** Keeps a file and answers its record. */
function upload(call: Call, secured: boolean): string {
  const { lists } = call.world
  const file = call.exact['file'] as Upload | string | undefined
  if (file === undefined || typeof file === 'string')
    throw invalid('file', 'file is required, as a file')
  const type = (call.exact['assetType'] ?? 'Photo') as string
  if (!ASSET_TYPES.some(known => known === type))
    throw invalid('assetType', `assetType is not valid; valid are ${ASSET_TYPES.join(', ')}`)
  const mime = file.type === '' ? 'application/octet-stream' : file.type
  const id = lists.asset_files.insert({ mime, base64: file.bytes.toString('base64') }, call.nowMs)
  const key = `${id}${ENDING[mime] ?? ''}`
  const url = `/api/v1/partner/asset/${key}`
  const urls = secured
    ? {}
    : { publicURL: url, origURL: url, thumbURL: url, mediumURL: url, largeURL: url }
  const name =
    typeof call.exact['name'] === 'string' && call.exact['name'] !== ''
      ? call.exact['name']
      : file.name
  const asset = lists.assets.insert(
    { name, key, type, active: true, priority: 0, secured, ...urls },
    call.nowMs,
  )
  return lists.assets.text(lists.assets.find(asset)!)
}

export const assetRoutes: readonly Route[] = [
  play('uploadPrivateAsset', call => upload(call, true)),
  play('uploadPublicAsset', call => upload(call, false)),
  play('getAsset', call => {
    const { lists } = call.world
    const [number] = lists.assets.where('key', call.params['assetKey']!)
    if (number === undefined) throw notFound('assetKey', 'There is no such asset')
    const { secured } = lists.assets.read(number)
    const { mime, base64 } = lists.asset_files.get(call.params['assetKey']!.replace(/\..*$/, ''))!
    return new OtherAnswer({
      type: String(mime),
      body: Buffer.from(String(base64), 'base64'),
      headers: {
        'cache-control': `${secured === true ? 'private' : 'public'}, max-age=${CACHED_SECONDS}`,
      },
    })
  }),
]
