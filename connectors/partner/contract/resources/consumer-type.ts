export const CONSUMER_TYPES = [
  'Other',
  'AdultUse',
  'MedicinalState',
  'MedicinalThirdParty',
] as const
