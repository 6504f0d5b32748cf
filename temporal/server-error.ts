import { isGrpcServiceError, ServiceError } from '@temporalio/client'
import { TemporalError } from '../errors.ts'
import { embeddedFolder } from './server/embedded-folder.ts'
import { serverDiskError } from './server/server-disk.ts'

/**
 * What the server refused or could not do, as an error that says what to do; any other as it came.
 * A server that is up and takes no work has usually no room to write it down: that of the
 * embedded one is looked at.
 */
export function asTemporalError(error: unknown, localFiles: string): unknown {
  if (!(error instanceof ServiceError)) return error
  const disk = serverDiskError(embeddedFolder(localFiles))
  if (disk !== undefined) return disk
  const { cause, message } = error
  const why = isGrpcServiceError(cause) ? cause.details : message
  return new TemporalError(
    'TEMPORAL_UNREACHABLE',
    `the Temporal server did not do what it was asked for: ${why}`,
    {
      cause: error,
      remedy:
        'Check that its disk is not full (temporal.log beside the database says more), ' +
        'then run the same command again.',
    },
  )
}
