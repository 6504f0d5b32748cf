import { expect, it } from 'vitest'
import { reconcileSettings } from '../../audit/settings.ts'

const approvers = (...names: string[]) =>
  reconcileSettings.safeParse({ approvers: names.map(name => ({ name, role: 'Lead' })) }).success

it('two approvers are two people, however a name is written', () => {
  expect(approvers('José Núñez', 'Ana Lopez')).toBe(true)
  expect(approvers('José', 'jose\u0301')).toBe(false)
  expect(approvers('Ana Lopez', 'ANA  LOPEZ ')).toBe(false)
})
