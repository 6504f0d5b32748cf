import { ApiError } from '../http/api-error.ts'
import type { Collection, JsonRecord } from '../model/collection.ts'
import { textOf } from './values.ts'

/**
 * What two people share who are one: the address without case, the digits of the phone number
 * without a leading country code 1.
 */
export const sameEmail = (email: unknown): string => (textOf(email) ?? '').toLowerCase()

export function samePhone(phone: unknown): string {
  const digits = (textOf(phone) ?? '').replace(/\D/g, '')
  return digits.length === 11 && digits.startsWith('1') ? digits.slice(1) : digits
}

/**
 * "Duplicate detection on email and phone number" (Errors, rule 3). What was deleted or merged into
 * another member does not count.
 */
export function duplicateField(
  person: JsonRecord,
  others: Iterable<JsonRecord>,
): 'email' | 'primaryPhone' | undefined {
  const email = sameEmail(person['email'])
  const phone = samePhone(person['primaryPhone'])
  if (email === '' && phone === '') return undefined
  for (const other of others) {
    if (other['id'] === person['id'] || isGone(other)) continue
    if (email !== '' && sameEmail(other['email']) === email) return 'email'
    if (phone !== '' && samePhone(other['primaryPhone']) === phone) return 'primaryPhone'
  }
  return undefined
}

const isGone = (person: JsonRecord): boolean =>
  person['deleted'] === true || textOf(person['mergedIntoMemberId']) !== undefined

export interface Contact {
  email?: unknown
  phone?: unknown
}

/** The number of the first person of a list with this email or phone number. */
export function findPerson(people: Collection, { email, phone }: Contact): number | undefined {
  const [wantedEmail, wantedPhone] = [sameEmail(email), samePhone(phone)]
  for (const person of people.all()) {
    if (person['deleted'] === true) continue
    if (
      (wantedEmail !== '' && sameEmail(person['email']) === wantedEmail) ||
      (wantedPhone !== '' && samePhone(person['primaryPhone']) === wantedPhone)
    )
      return people.find(String(person['id']))
  }
  return undefined
}

/**
 * Refuses a member that exists. A list is read record by record; 1,500 members take a few
 * milliseconds.
 */
export function refuseDuplicate(members: Collection, person: JsonRecord): void {
  const field = duplicateField(person, members.all())
  if (field !== undefined)
    throw new ApiError(
      400,
      field,
      `A member with this ${field === 'email' ? 'email' : 'phone number'} exists already`,
      'partner.exceptions.DuplicateMemberException',
    )
}
