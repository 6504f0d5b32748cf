import { PartnerError } from '../../errors.ts'
import { AnswerTooLarge, DamagedBody, UnknownEncoding } from './inflate.ts'
import { isAboutCertificate, lostInFull, wasNeverSent } from './lost-answer.ts'

/** Why there is no whole answer. What became of a write that was too slow, nobody knows. */
export function noAnswer(
  { name, isRead }: { name: string; isRead: boolean },
  cause: unknown,
  { maxBytes, longestMs, isOver }: { maxBytes: number; longestMs: number; isOver: boolean },
): PartnerError {
  if (cause instanceof AnswerTooLarge) return tooLarge(name, maxBytes)
  if (cause instanceof UnknownEncoding && isRead) return unreadable(name, cause)
  if (cause instanceof DamagedBody) return damaged(name, cause, isRead)
  return isOver && isRead ? tooSlow(name, longestMs) : unreachable(name, cause, isRead)
}

const tooLarge = (request: string, maxBytes: number): PartnerError =>
  new PartnerError(
    'PARTNER_TOO_LARGE',
    `${request} answered more than ${maxBytes / 1_000_000} MB; nothing of it was used.`,
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
      'and nothing of it was used',
    { remedy: 'Something between here and the API compresses on its own: look at its settings.' },
  )

const damaged = (request: string, { encoding }: DamagedBody, harmless: boolean): PartnerError =>
  new PartnerError(
    'PARTNER_TRUNCATED',
    `${request} answered with a body that is not whole ${encoding}: it was damaged or cut off ` +
      'on the way, or was never compressed; nothing of it was used',
    {
      remedy: harmless
        ? 'Run the same command again. If it stays so, something between here and the API ' +
          'compresses on its own: look at its settings.'
        : UNCLEAR,
    },
  )

const tooSlow = (request: string, longestMs: number): PartnerError =>
  new PartnerError(
    'PARTNER_TOO_SLOW',
    `${request} had not answered to the end after ${longestMs / 1000} s ` +
      'and a second for each 50 kB of it; nothing of it was used.',
    {
      remedy:
        'Run the same command again later. If the API or the line is meant to be that slow, ' +
        'raise limits.secondsPerAnswer of the store in tillage.yaml.',
    },
  )

function unreachable(request: string, cause: unknown, harmless: boolean): PartnerError {
  const isUnsent = wasNeverSent(cause)
  return new PartnerError(
    'PARTNER_UNREACHABLE',
    `${request} got no whole answer (${lostInFull(cause)})`,
    { cause, wasNeverSent: isUnsent, remedy: harmless || isUnsent ? whatToCheck(cause) : UNCLEAR },
  )
}

const UNCLEAR = 'Nobody knows whether it arrived: look at the API before it is sent again (INV-7).'

const whatToCheck = (cause: unknown): string =>
  isAboutCertificate(cause)
    ? 'Check baseUrl in tillage.yaml. If the certificate is one of your own, ' +
      'name the file of its issuer in NODE_EXTRA_CA_CERTS.'
    : 'Check baseUrl in tillage.yaml and that the API is up, ' +
      'then run the same command again: it goes on with what is missing.'
