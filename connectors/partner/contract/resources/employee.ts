import {
  choice,
  choices,
  companyRecord,
  double,
  flag,
  many,
  no,
  one,
  openList,
  required,
  resource,
  text,
  texts,
  timestamp,
  yes,
} from '../fields.ts'
import { address } from './address.ts'
import { note } from './note.ts'
import { PERMISSIONS } from './permissions.ts'
import { terminalLocation } from './store.ts'

const role = resource('Role', {
  ...companyRecord,
  ...text('name'),
  permissions: choices(PERMISSIONS),
})

const session = resource('TimeCardSession', {
  ...companyRecord,
  ...text('employeeId', 'shopId', 'terminalId', 'timeCardId'),
  ...timestamp('startTime', 'endTime'),
  ...flag('dirty'),
})

const timeCard = resource('TimeCard', {
  ...companyRecord,
  ...text('employeeId', 'shopId'),
  ...timestamp('clockInTime', 'clockOutTime'),
  ...flag('clockin', 'dirty'),
  sessions: many(session),
})

const fields = {
  ...companyRecord,
  ...required.text('roleId', 'firstName', 'lastName'),
  ...text(
    'authUserId',
    'pin',
    'email',
    'password',
    'driversLicense',
    'occupationLicenseNumber',
    'dlExpirationDate',
    'vehicleMake',
    'vehicleModel',
    'vehiclePin',
    'vinNo',
  ),
  ...text(
    'vehicleLicensePlate',
    'phoneNumber',
    'assignedInventoryId',
    'assignedTerminalId',
    'timecardId',
    'insuranceCompanyName',
    'policyNumber',
    'tripId',
    'lastLoggedInShopId',
  ),
  ...text('externalId', 'defaultVehicleId', 'complianceId', 'platformUserId'),
  cashDrawerStatus: choice(['Open', 'Closed']),
  notes: many(note),
  ...texts('shops', 'organizationIds'),
  appAccessList: choices(['AuthenticationApp', 'Retail', 'Distribution', 'Grow', 'Dispatch']),
  ...no('disabled', 'driver', 'packer', 'internal'),
  ...yes('canApplyCustomDiscount'),
  ...flag('isExtAdmin', 'isSuperAdmin'),
  address: one(address),
  timeCard: one(timeCard),
  role: one(role),
  recentLocation: one(terminalLocation),
  ...timestamp(
    'insuranceExpireDate',
    'registrationExpireDate',
    'lastLoginTime',
    'birthDate',
    'hireDate',
    'sessionTime',
    'lastPasswordChangedOn',
  ),
  ...openList('employeeExtFleetInfoList', 'extAgentInfoList'),
}

export const employee = resource(
  'Employee',
  fields,
  'Further lists and ids of external dispatch and tracking systems.',
)

const result = { ...fields, ...text('terminalName'), ...openList('employeeExtFleetInfoResults') }

export const employeeResult = resource('EmployeeResult', result)
export const driverResult = resource(
  'DeliveryDriverEmployeeResult',
  result,
  'What it adds to EmployeeResult.',
)

export const driverDetails = resource('DeliveryEmployeeDetails', {
  ...text('driverName', 'employeeId', 'inventoryId', 'terminalId', 'terminalName', 'inventoryName'),
  ...double('distance'),
  ...flag('online'),
})
