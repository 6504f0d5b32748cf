import { json, none, record, update } from './fields.ts'
import { del, group, post, put } from './operation.ts'
import { brand, brandAddRequest } from './resources/brand.ts'

export const brands = group('Brands', '/api/v1/partner/brands', {
  createBrand: post('', 'Creates a brand', { body: json(brandAddRequest), answer: record(brand) }),
  updateBrand: put('/{brandId}', 'Replaces a brand: send it whole', {
    body: json(update(brand)),
    answer: record(brand),
  }),
  deleteBrand: del('/{brandId}', 'Deletes a brand', { answer: none }),
})
