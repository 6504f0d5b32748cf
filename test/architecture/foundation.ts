import { ERRORS, DISK, MONEY, TEXT, LISTEN, SECRETS, THIS_MACHINE, DESTINATION } from './places.ts'
import type { Row } from './places.ts'

/** What every part stands on: it knows of none of them. */
export const FOUNDATION_ROWS: readonly Row[] = [
  { part: 'the end of a block', files: /^closing\.ts$/, may: [] },
  { part: 'the hash of everything', files: /^sha256\.ts$/, may: [/^node:crypto$/] },
  { part: 'codes of errors', files: /^error-codes\.ts$/, may: [] },
  { part: 'errors', files: /^errors\.ts$/, may: [/^\.\/error-codes\.ts$/, SECRETS] },
  { part: 'money', files: /^money\//, may: [MONEY] },
  { part: 'text', files: /^text\//, may: [ERRORS, MONEY, TEXT] },
  { part: 'what the disk says', files: /^disk\.ts$/, may: [ERRORS, /^node:(crypto|fs|os|path)$/] },
  {
    part: 'locks between processes',
    files: /^file-lock\.ts$/,
    may: [ERRORS, DISK, /^(better-sqlite3|node:(fs|path)|node:timers\/promises)$/],
  },
  { part: 'whom a host is', files: /^this-machine\.ts$/, may: [] },
  { part: 'secrets', files: /^secrets\.ts$/, may: [] },
  { part: 'settings that are secret', files: /^secret-setting\.ts$/, may: [/^zod$/] },
  { part: 'names that somebody typed', files: /^names\.ts$/, may: [ERRORS] },
  {
    part: 'files in object storage',
    files: /^objects\//,
    may: [
      ERRORS,
      DISK,
      THIS_MACHINE,
      /^\.\/objects\//,
      /^(zod|p-limit|@aws-sdk\/[\w-]+|node:(crypto|fs|os|path|stream|stream\/promises|timers\/promises))$/,
    ],
    types: [DESTINATION],
  },
  {
    part: 'ports',
    files: /^listen\.ts$/,
    may: [ERRORS, DISK],
    types: [LISTEN, /^node:(http|net)$/],
  },
  { part: 'the version', files: /^version\.ts$/, may: [/^node:fs$/] },
]
