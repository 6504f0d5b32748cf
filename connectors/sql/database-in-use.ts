import { DatabaseError } from '../../errors.ts'

/** Of what needs a database that nobody else has open. */
export const databaseInUse = (place: string, cause?: unknown): DatabaseError =>
  new DatabaseError('DATABASE_BUSY', `${place} is in use; nothing was changed`, {
    cause,
    remedy: 'Stop tillage up, workers and every other program that has it open, then try again.',
  })
