import { z } from 'zod'
import { isOpenLine } from '../this-machine.ts'
import { isObjectAddress } from './place.ts'

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
/** Letters that need no escapes, in keys and in names of folders alike. */
const FOLDER = /^(?!\.{1,2}$)[A-Za-z0-9._-]+$/

/** Why this names no place for exports, to be said after `exports`; undefined: it does. */
export function faultOfExports(exports: string): string | undefined {
  if (!/^\w+:\/\//.test(exports)) return undefined
  if (!isObjectAddress(exports))
    return 'must be a folder, like ./tillage-data/exports, or a bucket, like s3://books/tillage'
  const [bucket = '', ...folders] = exports.replace(/\/$/, '').slice('s3://'.length).split('/')
  if (!BUCKET.test(bucket))
    return 'lacks the name of a bucket: s3://BUCKET/PREFIX, like s3://books/tillage'
  return folders.every(folder => FOLDER.test(folder))
    ? undefined
    : 'has a prefix that is no plain name; letters, digits, dot, dash and underscore are, ' +
        'like s3://books/tillage'
}

const isEndpoint = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? '')

/** A bucket for exports. Keys to it come from where programs of its provider get theirs. */
export const objectSettings = z
  .strictObject({
    url: z.string().refine(url => isObjectAddress(url) && faultOfExports(url) === undefined, {
      error: ({ input }) =>
        faultOfExports(String(input)) ?? 'must be a bucket, like s3://books/tillage',
    }),
    /** Of a store that is not Amazon's. */
    endpoint: z
      .string()
      .refine(isEndpoint, 'must be an address like https://objects.example')
      .optional(),
    region: z.string().min(1, 'is empty').optional(),
    pathStyle: z.boolean().optional(),
    /** Files may travel without TLS to another machine. */
    allowInsecure: z.boolean().default(false),
    mode: z
      .unknown()
      .refine(mode => mode === undefined, {
        error: 'is of files on a disk; who may read objects is said by the policy of their bucket',
      })
      .optional(),
  })
  .refine(({ endpoint, allowInsecure }) => allowInsecure || !isOpenLine(endpoint ?? ''), {
    path: ['endpoint'],
    error:
      'is http:// to another machine, so files could be read on the way; ' +
      'write https://, or allowInsecure: true beside it',
  })
