import { days, json, page, paging, query, record, text, update } from './fields.ts'
import { get, group, post, put } from './operation.ts'
import { companyContact, companyContactRequest } from './resources/company-contact.ts'

const CONTACT = 'Body and answer: a contact.'

export const companyContacts = group('Company contacts', '/api/v1/partner/companycontacts', {
  searchCompanyContacts: get('', 'Company contacts', {
    query: query({ ...text('term'), ...days, ...paging('start') }),
    answer: page(companyContact),
    notShown: [
      'Parameters and shape: term, startDate and endDate as MM/dd/yyyy, start and limit, a page.',
    ],
  }),
  createCompanyContact: post('/contact', 'Creates a company contact', {
    body: json(companyContactRequest),
    answer: record(companyContact),
    notShown: [CONTACT],
  }),
  getCompanyContact: get('/contact/{contactId}', 'One company contact', {
    answer: record(companyContact),
    notShown: ['The answer: the contact.'],
  }),
  updateCompanyContact: put('/contact/{contactId}', 'Updates a company contact', {
    body: json(update(companyContact)),
    answer: record(companyContact),
    notShown: [CONTACT],
  }),
})
