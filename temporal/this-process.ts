import { hostname } from 'node:os'
import { userName } from '../connectors/database.ts'
import { identifyProcess, isRunning } from './server/process-identity.ts'
import type { ProcessIdentity } from './server/process-identity.ts'

/** This process as others know it, and what it can say of them. */
export const thisProcess = (): ProcessIdentity & {
  user: string
  host: string
  isRunning(process: ProcessIdentity): boolean
} => ({ ...identifyProcess(), user: userName(), host: hostname(), isRunning })

/** From where somebody acts: `user@machine`. */
export const originHere = (): string => `${userName()}@${hostname()}`
