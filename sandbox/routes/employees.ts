import { needConsumer } from '../commerce/consumers.ts'
import type { Place } from '../commerce/place.ts'
import { distanceKm, readPlace, regionOf } from '../commerce/place.ts'
import { notFound } from '../http/api-error.ts'
import { EVERYTHING, readFlag } from '../http/parameters.ts'
import type { JsonRecord } from '../model/collection.ts'
import { textOf } from '../model/records.ts'
import { play } from './play.ts'
import type { Call, Route } from './route.ts'
import { list, single } from './route.ts'

interface Driver {
  employee: JsonRecord
  distanceKm: number
}

/** Drivers on duty, the nearest first; without a point, in the order in which they were hired. */
function drivers({ world: { lists } }: Call, { point }: Place): Driver[] {
  const onDuty = [...lists.employees.all()].filter(
    employee =>
      employee['driver'] === true && employee['disabled'] !== true && employee['deleted'] === false,
  )
  const away = (employee: JsonRecord): number => {
    const loc = (employee['recentLocation'] as { loc?: [number, number] } | undefined)?.loc
    return point === undefined || loc === undefined ? 0 : distanceKm(point, [loc[1], loc[0]])
  }
  return onDuty
    .map(employee => ({ employee, distanceKm: away(employee) }))
    .sort((a, b) => a.distanceKm - b.distanceKm)
}

/**
 * Reading: a region is served by the rooms and terminals that carry its id; drivers belong to both
 * by what is assigned to them.
 */
function inRegion(
  { world }: Call,
  place: Place,
  { employee }: Driver,
  byTerminal: boolean,
): boolean {
  const region = regionOf(world, place)?.['id']
  if (region === undefined) return false
  const room = world.lists.inventories.get(String(employee['assignedInventoryId']))
  const served = ((room?.['regionIds'] as string[] | undefined) ?? []).includes(textOf(region))
  return (
    served &&
    (!byTerminal ||
      world.lists.terminals.get(String(employee['assignedTerminalId']))?.['regionId'] === region)
  )
}

function details({ world: { lists } }: Call, { employee, distanceKm }: Driver): object {
  const inventory = lists.inventories.get(String(employee['assignedInventoryId']))
  const terminal = lists.terminals.get(String(employee['assignedTerminalId']))
  return {
    driverName: `${String(employee['firstName'])} ${String(employee['lastName'])}`,
    employeeId: employee['id'],
    inventoryId: inventory?.['id'],
    inventoryName: inventory?.['name'],
    terminalId: terminal?.['id'],
    terminalName: terminal?.['name'],
    distance: Math.round(distanceKm * 100) / 100,
    online: true,
  }
}

export const employeeRoutes: readonly Route[] = [
  play('listEmployees', call =>
    list(call, { collection: call.world.lists.employees, range: EVERYTHING, sortedBy: 'id' }),
  ),
  play('listNearbyDrivers', call => {
    const place = readPlace(call.query)
    const byTerminal = readFlag(call.query, 'useTerminal')
    const found = drivers(call, place)
    return (
      byTerminal || readFlag(call.query, 'useRegion')
        ? found.filter(driver => inRegion(call, place, driver, byTerminal))
        : found
    ).map(driver => details(call, driver))
  }),
  play('getAutoAssignedDriver', call => {
    needConsumer(call)
    const [best] = drivers(call, readPlace(call.query))
    if (best === undefined) throw notFound('lat', 'No driver is on duty')
    return { ...best.employee, ...details(call, best) }
  }),
  play('getEmployee', call =>
    single(call.world.lists.employees, call.params['employeeId']!, 'employeeId'),
  ),
]
