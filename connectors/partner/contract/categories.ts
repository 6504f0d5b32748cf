import { json, none, record, update, values } from './fields.ts'
import { del, get, group, post, put } from './operation.ts'
import { category, categoryAddRequest } from './resources/category.ts'

export const categories = group('Categories', '/api/v1/partner/category', {
  getCategory: get('/{id}', 'One category', { answer: record(category) }),
  createCategory: post('', 'Creates a category', {
    body: json(categoryAddRequest),
    answer: record(category),
  }),
  updateCategory: put('/{id}', 'Replaces a category: send it whole', {
    body: json(update(category)),
    answer: record(category),
  }),
  deleteCategory: del('/{id}', 'Deletes a category', { answer: none }),
  listCategories: get('', 'All categories, complete, without pages', { answer: values(category) }),
})
