import type { Snapshot } from '../snapshot.ts'
import type { AuditLine } from './lines.ts'

/** How much of what the sheets list was counted. */
export interface Coverage {
  counted: number
  lots: number
  rooms: readonly RoomCoverage[]
  /** Every lot of every room that the snapshot looked at. */
  isWhole: boolean
}

interface RoomCoverage {
  name: string
  counted: number
  lots: number
}

/** Lots that were found where none should be are on no sheet, and counted in neither. */
export function coverageOf(
  { rooms }: Pick<Snapshot, 'rooms'>,
  all: readonly AuditLine[],
): Coverage {
  const lines = all.filter(({ lineId }) => lineId !== '')
  const isCounted = ({ count }: AuditLine): boolean => count !== undefined
  const counted = lines.filter(isCounted).length
  return {
    counted,
    lots: lines.length,
    rooms: rooms.map(({ id, name }) => {
      const own = lines.filter(({ inventoryId }) => inventoryId === id)
      return { name, counted: own.filter(isCounted).length, lots: own.length }
    }),
    isWhole: counted === lines.length,
  }
}

const MOST_ROOMS = 6

/** `28 of 28 lots counted in Quarantine`; of several rooms, how many in which. */
export function describeCoverage({ counted, lots, rooms, isWhole }: Coverage): string {
  const total = `${shown(counted)} of ${lots === 1 ? '1 lot' : `${shown(lots)} lots`} counted`
  const held = rooms.filter(room => room.lots > 0)
  if (held.length === 0) return `${total}: nothing should be in ${namesOf(rooms)}`
  if (isWhole || held.length === 1) return `${total} in ${namesOf(held)}`
  const begun = held.filter(room => room.counted > 0)
  const parts = [
    ...begun.map(room => `${room.name} ${shown(room.counted)} of ${shown(room.lots)}`),
    ...(begun.length === held.length
      ? []
      : [`none in ${namesOf(held.filter(room => room.counted === 0))}`]),
  ]
  return `${total}: ${parts.join(', ')}`
}

/** What those who sign state of how much they have counted, and of what they state nothing. */
export function attestedScope({ counted, lots, rooms, isWhole }: Coverage): string {
  const where = namesOf(rooms.filter(room => room.counted > 0))
  if (counted === 0) return 'Nothing was counted; we state nothing of what there is.'
  if (isWhole) return `We have counted all ${shown(lots)} lots that the records have in ${where}.`
  return (
    `We have counted ${shown(counted)} of the ${shown(lots)} lots that the records have, ` +
    `in ${where}. We state nothing of the ${shown(lots - counted)} that were not counted.`
  )
}

function namesOf(rooms: readonly { name: string }[]): string {
  const names = rooms.slice(0, MOST_ROOMS).map(({ name }) => name)
  const more = rooms.length - names.length
  return [...names, ...(more > 0 ? [`${more} more rooms`] : [])].join(', ')
}

const shown = (count: number): string => count.toLocaleString('en-US')
