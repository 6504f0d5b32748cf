import { HOUR, START, startRecords } from '../activities/record-server.ts'
import type { Rec, Synced } from '../activities/record-server.ts'

export const records = (count: number, first = START + HOUR): Rec[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `t${String(index).padStart(3, '0')}`,
    modified: first + index * 60_000,
  }))

const open: Synced[] = []

export const start = async (...args: Parameters<typeof startRecords>): Promise<Synced> => {
  const synced = await startRecords(...args)
  open.push(synced)
  return synced
}

/** To be called after all tests of a file. */
export const closeAll = async (): Promise<void> => {
  await Promise.all(open.splice(0).map(synced => synced.close()))
}
