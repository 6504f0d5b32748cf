import { EVERYTHING, readDays, readText } from '../http/parameters.ts'
import { create, findNumber, merge, textOf } from '../model/records.ts'
import { play } from './play.ts'
import type { Route } from './route.ts'
import { dateRules, list, single } from './route.ts'

/** Dates are MM/dd/yyyy (Limits, rule 2), optional and, a reading, not limited to 7 days. */
export const companyContactRoutes: readonly Route[] = [
  play('searchCompanyContacts', call => {
    const dated =
      readText(call.query, 'startDate') !== undefined ||
      readText(call.query, 'endDate') !== undefined
    const range = dated ? readDays(call.query, dateRules(call, { limited: false })) : EVERYTHING
    const term = readText(call.query, 'term')?.toLowerCase()
    return list(call, {
      collection: call.world.lists.company_contacts,
      range,
      sortedBy: 'id',
      matches: contact =>
        term === undefined ||
        ['firstName', 'lastName', 'companyName', 'email']
          .map(field => textOf(contact[field]))
          .join(' ')
          .toLowerCase()
          .includes(term),
    })
  }),
  play('createCompanyContact', call =>
    create(call.world.lists.company_contacts, { active: true, ...call.exact }, call.nowMs),
  ),
  play('getCompanyContact', call =>
    single(call.world.lists.company_contacts, call.params['contactId']!, 'contactId'),
  ),
  play(
    'updateCompanyContact',
    call =>
      merge(
        call.world.lists.company_contacts,
        findNumber(call.world.lists.company_contacts, call.params['contactId']!, 'contactId'),
        call.exact,
        call.nowMs,
      ),
    { merges: true },
  ),
]
