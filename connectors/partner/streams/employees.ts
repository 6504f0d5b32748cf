import { boolean, defineList, json, person, text, timestamp } from '../../stream.ts'

/**
 * Who works in the store. Pins and passwords are on the record too; they are dropped before
 * anything is written (`connectors/answer/places.ts`).
 */
export const employees = defineList({
  name: 'employees',
  singular: 'employee',
  title: 'employees and drivers',
  path: '/api/v1/partner/employees',
  optional: true,
  columns: {
    ...text('id', 'companyId'),
    ...timestamp('created', 'modified'),
    ...boolean(
      'deleted',
      'disabled',
      'driver',
      'packer',
      'internal',
      'canApplyCustomDiscount',
      'isExtAdmin',
      'isSuperAdmin',
    ),
    ...text(
      'roleId',
      'role.name',
      'externalId',
      'complianceId',
      'assignedInventoryId',
      'assignedTerminalId',
      'terminalName',
      'timecardId',
      'cashDrawerStatus',
      'lastLoggedInShopId',
      'tripId',
    ),
    ...person.text(
      'firstName',
      'lastName',
      'email',
      'phoneNumber',
      'driversLicense',
      'occupationLicenseNumber',
      'vehicleLicensePlate',
    ),
    ...person.timestamp('birthDate'),
    ...timestamp(
      'hireDate',
      'lastLoginTime',
      'insuranceExpireDate',
      'registrationExpireDate',
      'lastPasswordChangedOn',
    ),
    ...json('shops', 'organizationIds', 'appAccessList'),
    ...person.json('address'),
  },
})
