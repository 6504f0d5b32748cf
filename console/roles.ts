/** Who somebody is on the console. Everybody sees all pages; the others also decide something. */
export const ROLES = ['viewer', 'accountant', 'compliance', 'operator', 'admin'] as const
export type Role = (typeof ROLES)[number]
