/**
 * Who works in a store, its rooms, tills and neighbourhood, in the documentation's field names. A
 * table of facts.
 */
import { DAY_MS } from '../../calendar/days.ts'
import { makeIds } from '../values/ids.ts'
import { decimal } from '../values/money.ts'
import { Dice, mix } from '../values/random.ts'
import { addressRecord, slug } from './catalog-records.ts'
import type { Catalog, Employee } from './catalog.ts'
import { ID_TAGS } from './catalog.ts'
import { FIRST_NAMES, LAST_NAMES, ROOMS } from './names.ts'
import type { Shop } from './stores.ts'

const ROLES: readonly { name: string; permissions: readonly string[] }[] = [
  {
    name: 'Manager',
    permissions: [
      'WebAdminLogin',
      'WebInventoryManage',
      'WebInventoryTransfer',
      'WebInventoryReconciliation',
      'WebPurchaseOrderManage',
      'WebVendorManage',
      'WebReportsView',
      'WebTransactionsVoid',
      'WebTransactionsRefund',
      'WebEmployeeManage',
      'iPadRefund',
    ],
  },
  {
    name: 'Inventory Lead',
    permissions: [
      'WebAdminLogin',
      'WebInventoryView',
      'WebInventoryManage',
      'WebInventoryTransfer',
      'WebInventoryReconciliation',
      'WebAddBatch',
      'WebEditBatch',
    ],
  },
  {
    name: 'Budtender',
    permissions: [
      'iPadQuickPinLogin',
      'iPadMemberAdd',
      'iPadQueueAddMember',
      'iPadProcessSales',
      'iPadApplyCoupons',
    ],
  },
  { name: 'Driver', permissions: ['WebDeliveryView', 'iPadProcessSales'] },
]

/** One manager, two who count, two who drive, the rest behind the counter. */
const FIRST_ROLES = [0, 1, 1, 3, 3]
const roleOf = (at: number): number => FIRST_ROLES[at] ?? 2

export function employeeRecord(
  shop: Shop,
  catalog: Catalog,
  employee: Employee,
  at: number,
): object {
  const role = ROLES[roleOf(at)]!
  const driver = role.name === 'Driver'
  const dice = new Dice(mix(shop.seed, 0xe3b + at))
  const online = shop.timeline.endMs - dice.between(60_000, 900_000)
  return {
    firstName: employee.firstName,
    lastName: employee.lastName,
    pin: employee.pin,
    email: `${slug(employee.firstName)}.${slug(employee.lastName)}@${slug(shop.name)}.example`,
    phoneNumber: `+1555${String(3_000_000 + at * 731 + shop.index)}`,
    roleId: roleId(shop, roleOf(at)),
    role: { id: roleId(shop, roleOf(at)), companyId: shop.companyId, ...role },
    shops: [shop.shopId],
    appAccessList: driver ? ['Dispatch'] : ['AuthenticationApp', 'Retail'],
    disabled: at === catalog.employees.length - 1,
    driver,
    packer: role.name === 'Inventory Lead',
    internal: false,
    canApplyCustomDiscount: at === 0,
    hireDate: shop.timeline.startMs - dice.between(60, 1500) * DAY_MS,
    lastLoginTime: online,
    lastLoggedInShopId: shop.shopId,
    externalId: `E-${String(101 + at)}`,
    cashDrawerStatus: driver ? 'Closed' : 'Open',
    assignedTerminalId: catalog.terminals[at % catalog.terminals.length],
    assignedInventoryId: catalog.inventories[driver ? 3 : 0],
    terminalName: TERMINALS[at % TERMINALS.length]!.name,
    employeeExtFleetInfoResults: [],
    notes: [],
    ...(driver ? driverRecord(shop, catalog, at, online) : {}),
  }
}

/** What only drivers have. */
function driverRecord(shop: Shop, catalog: Catalog, at: number, online: number): object {
  return {
    vehicleMake: 'Toyota',
    vehicleModel: 'Prius',
    vehicleLicensePlate: `8TLG${String(100 + at)}`,
    driversLicense: `D${String(70_000_000 + at * 7919)}`,
    recentLocation: {
      name: 'Last seen',
      employeeId: catalog.employees[at]!.id,
      shopId: shop.shopId,
      terminalId: catalog.terminals[at % catalog.terminals.length],
      loc: [shop.at[1] + (at - 3.5) * 0.04, shop.at[0] + (at - 3.5) * 0.02],
      created: online,
      modified: online,
      deleted: false,
    },
  }
}

const TERMINALS = [
  { name: 'Counter 1', terminalType: 'WalkIn' },
  { name: 'Counter 2', terminalType: 'WalkIn' },
  { name: 'Express Pickup', terminalType: 'SelfCheckout' },
  { name: 'Delivery Desk', terminalType: 'Delivery' },
  { name: 'Old Register', terminalType: 'WalkIn' },
] as const

export function terminalRecord(shop: Shop, catalog: Catalog, at: number): object {
  const terminal = TERMINALS[at]!
  return {
    ...terminal,
    active: terminal.name !== 'Old Register',
    checkoutType: 'Direct',
    deviceName: `Till ${at + 1}`,
    deviceType: 'iOS',
    deviceModel: 'iPad',
    appVersion: '5.12.0',
    assignedInventoryId: catalog.inventories[terminal.terminalType === 'Delivery' ? 3 : 0],
    quickStartAmount: decimal(20_000),
    onPremEnabled: false,
    brandIds: [],
    terminalLocations: [],
    deviceDetails: [],
    regionId: regionId(shop, 0),
  }
}

export function roomRecord(shop: Shop, at: number): object {
  const room = ROOMS[at]!
  return {
    ...room,
    roomType: [room.roomType],
    externalId: `R-${at + 1}`,
    dryRoom: true,
    regionIds:
      room.name === 'Delivery Safe' ? shop.zipCodes.map((_, region) => regionId(shop, region)) : [],
  }
}

const regionId = (shop: Shop, at: number): string => makeIds(shop.seed, ID_TAGS.region).of(at + 1)
const roleId = (shop: Shop, at: number): string => makeIds(shop.seed, ID_TAGS.role).of(at + 1)
const QUARTERS = ['Centre', 'North', 'South'] as const

/** One region for each zip code, side by side from the store outwards. */
export function regionRecord(shop: Shop, at: number): object {
  return {
    name: `${shop.city} ${QUARTERS[at]!}`,
    active: true,
    regionDefault: at === 0,
    zoneType: 'zipCode',
    zipCodes: [shop.zipCodes[at]],
    latitude: shop.at[0] + [0, 0.05, -0.05][at]!,
    longitude: shop.at[1] + [0, 0.03, -0.03][at]!,
    openAt: '10:00',
    closeAt: '21:00',
    openAtNumeric: 1000,
    closeAtNumeric: 2100,
    deliveryFee: decimal(500 + at * 200),
    minOrderAmount: decimal(2500),
    freeDeliveryAfter: decimal(10_000),
    deliveryCharge: decimal(0),
    daysClose: [],
    kmlColor: '',
    kmlEdges: [],
    allowedConsumerTypes: ['AdultUse', 'MedicinalState', 'MedicinalThirdParty'],
  }
}

export function doctorRecord(shop: Shop, at: number): object {
  const dice = new Dice(mix(shop.seed, 0xd0c + at))
  const [firstName, lastName] = [dice.pick(FIRST_NAMES), dice.pick(LAST_NAMES)]
  return {
    firstName,
    lastName,
    license: `A${String(40_000 + at * 613)}`,
    degree: at % 4 === 3 ? 'DO' : 'MD',
    state: shop.state,
    phoneNumber: `+1555${String(4_000_000 + at * 977)}`,
    email: `${slug(lastName)}@clinic.example`,
    website: 'https://clinic.example',
    searchText: `${firstName} ${lastName}`.toLowerCase(),
    address: addressRecord(shop, at + 31),
    active: true,
    notes: [],
    assets: [],
  }
}

/** TaxInfoResult: "name and further tax name, rate and display settings". Rates are percent. */
export function taxRecords(shop: Shop): object[] {
  const rate = (
    name: string,
    territory: string,
    basisPoints: number,
    compound: boolean,
  ): object => ({
    name,
    taxName: name,
    displayName: name,
    territory,
    taxRate: decimal(basisPoints),
    compound,
    active: true,
    taxOrder: 'PostTaxed',
    display: true,
  })
  return [
    rate('City cannabis tax', 'City', shop.taxes.city, false),
    rate('Excise tax', 'Excise', shop.taxes.excise, true),
    rate('State sales tax', 'State', shop.taxes.state, true),
    rate('County sales tax', 'County', shop.taxes.county, true),
  ]
}

export function contactRecord(catalog: Catalog, at: number): object {
  const vendor = catalog.vendors[at]!
  const [firstName, lastName] = [
    FIRST_NAMES[(at * 7 + 2) % FIRST_NAMES.length]!,
    LAST_NAMES[(at * 11 + 3) % LAST_NAMES.length]!,
  ]
  return {
    customerCompanyId: vendor.id,
    vendorId: vendor.id,
    companyName: vendor.name,
    firstName,
    lastName,
    email: `${slug(firstName)}@${slug(vendor.name)}.example`,
    phoneNumber: `+1555${String(5_000_000 + at * 389)}`,
    role: at % 2 === 0 ? 'Sales' : 'Accounts',
    active: true,
    notes: [],
  }
}
