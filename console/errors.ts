import { asDatabaseError } from '../connectors/database.ts'
import { codeOf } from '../disk.ts'
import { TillageError } from '../errors.ts'
import { MOST_UPLOAD_BYTES } from './actions/read-form.ts'
import { Refusal } from './actions/refusal.ts'
import type { Message } from './layout.ts'

/** What is wrong, in the words of the terminal, and as which status of HTTP. */
export function messageOf(
  cause: unknown,
  localFiles: string,
): { status: number; message: Message } {
  if (cause instanceof Refusal) return { status: cause.status, message: cause.shown }
  const error = codeOf(cause).startsWith('SQLITE_') ? asDatabaseError(localFiles, cause) : cause
  if (error instanceof TillageError) return ofOurs(error)
  const status = (error as { statusCode?: number }).statusCode ?? 500
  if (status === 413) return { status, message: TOO_LARGE }
  return status < 500
    ? {
        status,
        message: {
          title: 'Nothing was done',
          text: 'The browser sent something that this page does not take.',
          next: 'Go back, and send the form again.',
        },
      }
    : {
        status: 500,
        message: {
          title: 'This page could not be made',
          text: 'Something happened that nobody has foreseen. Nothing was changed.',
          next: 'What it was stands in the log of the program that serves this page.',
        },
      }
}

const TOO_LARGE: Message = {
  title: 'Nothing was done',
  text: `That is too large: all files of a form together have at most ${MOST_UPLOAD_BYTES / 1024 / 1024} MB.`,
  next:
    'Go back, and send less: a file in parts, one after the other, or without the columns that ' +
    'nobody asks for.',
}

/** What is away for a while, and what a person has asked for in vain. */
const AWAY: readonly string[] = ['DATABASE_BROKEN', 'DATABASE_FULL']

function ofOurs({ code, message, remedy }: TillageError): { status: number; message: Message } {
  if (code === 'DATABASE_BUSY') return { status: 503, message: { ...BUSY, code } }
  const isAway = AWAY.includes(code) || code.startsWith('TEMPORAL_')
  return {
    status: isAway ? 503 : (STATUS_OF[code] ?? 409),
    message: {
      title: isAway ? 'Not now' : 'This cannot be shown',
      text: message,
      next: remedy ?? 'Try again.',
      code,
    },
  }
}

/** Of a page nothing was being written, and nothing tries again by itself. */
const BUSY: Message = {
  title: 'Not now',
  text: 'Somebody else holds the database just now, so this page cannot be made. Nothing was changed.',
  next:
    'Load this page again: it is there once the other program is done, or closed. Meanwhile you ' +
    'stay signed in, what was started goes on, and files that were given out lie where they were.',
}

const STATUS_OF: Readonly<Record<string, number>> = { USAGE: 400, NOT_PROVEN: 200 }
