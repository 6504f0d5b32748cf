import { z } from 'zod'
import { array, json, page, paging, query, record, text, valuesPage } from './fields.ts'
import { get, group, post } from './operation.ts'
import { doctor } from './resources/doctor.ts'
import { inventory, storeInfo, taxInfo, terminal } from './resources/store.ts'
import { webHook, webHookAddRequest } from './resources/webhook.ts'

export const store = group('Store', '/api/v1/partner/store', {
  getStore: get('', 'The store behind the developer key', { answer: record(storeInfo) }),
  listDoctors: get('/doctors', 'Doctors, by free text', {
    query: query(text('term')),
    answer: page(doctor),
  }),
  listTerminals: get('/terminals', 'Active terminals', {
    query: query(paging('start')),
    answer: valuesPage(terminal),
  }),
  listInventories: get('/inventories', 'Active inventories (rooms)', {
    query: query(paging('start')),
    answer: page(inventory),
  }),
  createStoreWebHooks: post('/webHook', 'Registers several webhooks', {
    body: json(z.array(webHookAddRequest)),
    answer: array(webHook),
    notShown: ['The shape of the list: a bare array.'],
  }),
  listTaxes: get('/taxes', 'Taxes of the store', {
    answer: array(taxInfo),
    notShown: ['The shape of the list: a bare array.'],
  }),
})
