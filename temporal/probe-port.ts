import { connect } from 'node:net'

/**
 * Why nothing can be reached at this host and port, or undefined if something accepts connections
 * there. Cheap enough to ask every few milliseconds, unlike a gRPC channel, which waits a second
 * after each failure and does not tell why.
 */
export async function findPortProblem(
  host: string,
  port: number,
  timeoutMs = 1_000,
): Promise<string | undefined> {
  return new Promise(resolve => {
    const socket = connect({ host, port, timeout: timeoutMs })
    const finish = (problem: string | undefined) => {
      socket.destroy()
      resolve(problem)
    }
    socket.once('connect', () => finish(undefined))
    socket.once('timeout', () => finish(`no answer within ${timeoutMs / 1000} s`))
    socket.once('error', (error: NodeJS.ErrnoException) => finish(error.code ?? error.message))
  })
}
