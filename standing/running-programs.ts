import { hostname } from 'node:os'
import type { Program } from '../connectors/destination/programs.ts'
import { isRunning } from '../temporal/server/process-identity.ts'

export const isOfThisMachine = ({ machine }: Program): boolean => machine === hostname()

/** Without those that were killed; of other machines nobody knows that here. */
export const runningPrograms = (programs: readonly Program[]): Program[] =>
  programs.filter(program => !isOfThisMachine(program) || isRunning(identityOf(program)))

const identityOf = ({ pid, processStarted }: Program) =>
  processStarted === '' ? { pid } : { pid, startedAt: processStarted }
