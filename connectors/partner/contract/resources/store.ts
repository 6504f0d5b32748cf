import {
  choice,
  choices,
  doubles,
  flag,
  int32,
  many,
  no,
  number,
  one,
  open,
  resource,
  shopRecord,
  text,
  textOr,
  texts,
  timestamp,
  yes,
} from '../fields.ts'
import { address } from './address.ts'

/** Fields of Shop and Contract are not shown; these are what public clients of this API read. */
export const shop = resource(
  'Shop',
  {
    ...text('id', 'companyId', 'name', 'timeZone', 'shopType', 'license'),
    address: one(address),
    ...flag('enableDeliveryFee', 'active'),
    ...open('taxInfo'),
  },
  'All fields; these are what public clients read.',
)

export const contract = resource(
  'Contract',
  { ...text('id', 'companyId', 'shopId', 'name'), ...flag('active') },
  'All fields.',
)

export const storeInfo = resource('StoreInfoResult', {
  shop: one(shop),
  contract: one(contract),
  ...text('companyLogoURL'),
})

export const taxInfo = resource(
  'TaxInfoResult',
  { ...text('name') },
  'Further tax name, rate and display settings.',
)

export const terminalLocation = resource('TerminalLocation', {
  ...text(
    'id',
    'companyId',
    'deviceId',
    'employeeId',
    'name',
    'shopId',
    'terminalId',
    'timeCardId',
  ),
  ...doubles('loc'),
  ...flag('dirty', 'deleted', 'updated'),
  ...timestamp('created', 'modified'),
})

const device = resource('TerminalDevice', {
  ...flag('active'),
  appType: choice([
    'Connect',
    'Ext',
    'Developer',
    'StoreWidget',
    'Distribution',
    'Grow',
    'DeliveryApp',
  ]),
  ...text('deviceId', 'deviceModel', 'deviceName', 'deviceToken', 'deviceVersion', 'sdkVersion'),
  deviceType: choice(['Android', 'iOS', 'Desktop', 'Web'], 'iOS'),
  version: textOr('1.0.0'),
})

const creditCardReader = resource('CreditCardReader', {
  encryptionType: choice(['ExtSymmetricEncryption', 'DUKPT']),
  ...text('secretKey'),
})

export const terminal = resource('Terminal', {
  ...shopRecord,
  ...flag('active'),
  ...text(
    'deviceId',
    'name',
    'deviceModel',
    'deviceVersion',
    'deviceName',
    'appVersion',
    'deviceToken',
    'deviceType',
    'assignedInventoryId',
    'cvAccountId',
    'currentEmployeeId',
    'posTerminal',
    'regionId',
  ),
  terminalType: choice(
    ['NotAssigned', 'WalkIn', 'Delivery', 'SelfCheckout', 'Event'],
    'NotAssigned',
  ),
  checkoutType: choice(['Direct', 'Fulfillment', 'FulfillmentThreeStep']),
  ...no('onPremEnabled'),
  ...texts('brandIds'),
  ...number('quickStartAmount'),
  creditCardReader: one(creditCardReader),
  terminalLocations: many(terminalLocation),
  deviceDetails: many(device),
})

/** A location or room. */
export const inventory = resource('Inventory', {
  ...shopRecord,
  type: choice(['Storage', 'Field', 'Quarantine'], 'Field'),
  ...text('name', 'externalId', 'complianceInvRoomName'),
  ...yes('active', 'dryRoom'),
  ...texts('regionIds'),
  ...number('quantity'),
  ...int32('complianceInvRoomId'),
  roomType: choices(['FRONT_OF_HOUSE', 'BACK_OF_HOUSE']),
})
