import { array, flag, paging, query, record, text, valuesPage } from './fields.ts'
import { get, group } from './operation.ts'
import { place } from './place.ts'
import { driverDetails, driverResult, employee, employeeResult } from './resources/employee.ts'

export const employees = group('Employees', '/api/v1/partner/employees', {
  listEmployees: get('', 'Employees', {
    query: query({ ...paging('start'), ...text('currentEmployeeId') }),
    answer: valuesPage(employeeResult),
  }),
  getEmployee: get('/{employeeId}', 'One employee', { answer: record(employee) }),
  listNearbyDrivers: get(
    '/drivers/nearby',
    'Drivers near a place: by region, by region and terminal, or by distance alone',
    {
      query: query({ ...place, ...flag('useRegion', 'useTerminal') }),
      answer: array(driverDetails),
      notShown: ['The shape of the list: a bare array.'],
    },
  ),
  getAutoAssignedDriver: get('/drivers/auto-assigned', 'The best available driver', {
    needs: ['store', 'consumer'],
    query: query(place),
    answer: record(driverResult),
  }),
})
