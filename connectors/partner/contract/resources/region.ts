import {
  choice,
  choices,
  companyRecord,
  double,
  emptyText,
  int32,
  no,
  number,
  openList,
  resource,
  text,
  texts,
  yes,
} from '../fields.ts'
import { CONSUMER_TYPES } from './consumer-type.ts'

export const region = resource('ExtRegion', {
  ...companyRecord,
  ...text('name', 'openAt', 'closeAt', 'fileZone', 'taxRuleId'),
  ...emptyText('kmlColor'),
  ...yes('active'),
  ...no('regionDefault'),
  ...double('latitude', 'longitude'),
  ...number('deliveryFee', 'minOrderAmount', 'freeDeliveryAfter', 'deliveryCharge'),
  ...int32('openAtNumeric', 'closeAtNumeric'),
  ...texts('daysClose', 'zipCodes'),
  zoneType: choice(['zipCode', 'kml'], 'zipCode'),
  ...openList('kmlEdges'),
  allowedConsumerTypes: choices(CONSUMER_TYPES),
})
