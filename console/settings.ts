import { z } from 'zod'
import { listenAddress } from '../config/listen.ts'
import { mustBeOneOf } from '../names.ts'
import { secret } from '../secret-setting.ts'
import { isPublicUrl, isThisMachine } from '../this-machine.ts'
import { isPasswordHash } from './password-hash.ts'
import { ROLES } from './roles.ts'

const user = z.strictObject({
  name: z
    .string()
    .trim()
    .min(1, 'is empty')
    .max(80)
    // It stands in approvals and in the audit log, on a line of its own.
    .refine(name => !/\p{Cc}/u.test(name), { error: 'has a character that nobody can see' }),
  role: z.enum(ROLES, { error: mustBeOneOf(ROLES) }),
  password: secret(
    z.string().refine(isPasswordHash, {
      error: 'is no hash of a password; write what tillage console hash-password prints',
    }),
  ),
})

/** The pages for people. Nobody else than this machine reaches them without users. */
export const consoleSettings = z
  .strictObject({
    listen: listenAddress.prefault('127.0.0.1:8760'),
    /** Where people find it, without a slash at its end. TLS ends before us. */
    publicUrl: z
      .string()
      .refine(text => isPublicUrl(text) && URL.parse(text)?.pathname === '/', {
        error: 'must be https://HOST, or http:// to this machine itself, without a path',
      })
      .transform(text => text.replace(/\/+$/, ''))
      .optional(),
    users: z.array(user).default([]),
  })
  .superRefine(({ listen, publicUrl, users }, context) => {
    const names = users.map(({ name }) => name.toLowerCase())
    if (new Set(names).size < names.length)
      context.addIssue({ code: 'custom', path: ['users'], message: 'has two users of one name' })
    if (isThisMachine(listen.host) && publicUrl === undefined) return
    if (users.length === 0)
      context.addIssue({
        code: 'custom',
        path: ['users'],
        message: 'is needed where others than this machine reach the console',
      })
    if (publicUrl === undefined)
      context.addIssue({
        code: 'custom',
        path: ['publicUrl'],
        message: 'is needed where it listens on another address than 127.0.0.1',
      })
  })
