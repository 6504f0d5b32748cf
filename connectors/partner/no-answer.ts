import { PartnerError } from '../../errors.ts'
import { AnswerTooLarge, UnknownEncoding } from './inflate.ts'

/** Why there is no whole answer. What became of a write that was too slow, nobody knows. */
export function noAnswer(
  { name, isRead }: { name: string; isRead: boolean },
  cause: unknown,
  { maxBytes, longestMs, isOver }: { maxBytes: number; longestMs: number; isOver: boolean },
): PartnerError {
  if (cause instanceof AnswerTooLarge) return tooLarge(name, maxBytes)
  if (cause instanceof UnknownEncoding && isRead) return unreadable(name, cause)
  return isOver && isRead ? tooSlow(name, longestMs) : unreachable(name, cause, isRead)
}

const tooLarge = (request: string, maxBytes: number): PartnerError =>
  new PartnerError(
    'PARTNER_TOO_LARGE',
    `${request} answered more than ${maxBytes / 1_000_000} MB; nothing of it was taken.`,
    {
      remedy:
        'If the API is meant to answer that much, ' +
        'raise limits.megabytesPerAnswer of the store in tillage.yaml.',
    },
  )

const unreadable = (request: string, { encoding }: UnknownEncoding): PartnerError =>
  new PartnerError(
    'PARTNER_NOT_API',
    `${request} answered with the Content-Encoding ${encoding}; only gzip was asked for, ` +
      'and nothing of it was taken',
    { remedy: 'Something between here and the API compresses on its own: look at its settings.' },
  )

const tooSlow = (request: string, longestMs: number): PartnerError =>
  new PartnerError(
    'PARTNER_TOO_SLOW',
    `${request} had not answered to the end after ${longestMs / 1000} s ` +
      'and a second for each 50 kB of it; nothing of it was taken.',
    {
      remedy:
        'Run the same command again later. If the API or the line is meant to be that slow, ' +
        'raise limits.secondsPerAnswer of the store in tillage.yaml.',
    },
  )

function unreachable(request: string, cause: unknown, harmless: boolean): PartnerError {
  const code = (cause as { code?: unknown }).code
  const what = typeof code === 'string' ? code : (cause as Error).name
  return new PartnerError('PARTNER_UNREACHABLE', `${request} got no whole answer (${what})`, {
    cause,
    remedy: harmless
      ? 'Check baseUrl in tillage.yaml and that the API is up, ' +
        'then run the same command again: it goes on with what is missing.'
      : 'Nobody knows whether it arrived: look at the API before it is sent again (INV-7).',
  })
}
