import { z } from 'zod'
import { isTimeZone } from '../calendar/is-time-zone.ts'
import { mustBeOneOf } from '../names.ts'
import { clock } from '../schedules/rules/settings.ts'
import { secret } from '../secret-setting.ts'
import { ALARM_KIND_NAMES } from '../standing/alarm-kinds.ts'
import { isOpenLine } from '../this-machine.ts'

/** Of what a channel is sent. */
const SHAPES = ['json', 'slack', 'teams'] as const

/** The name under which what is sent to the heartbeat is kept. */
export const HEARTBEAT = 'heartbeat'

const address = (allowed: readonly string[]) =>
  z.string().refine(text => allowed.includes(URL.parse(text)?.protocol ?? ''), {
    error: `must be an address that begins with ${allowed.map(one => `${one}//`).join(' or ')}`,
  })
const webAddress = secret(address(['https:', 'http:']))

const id = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,31}$/i, 'must be a short name of letters, digits, - and _')
  .refine(name => name !== HEARTBEAT, `must not be ${HEARTBEAT}`)

/** One of `url`, `smtp` and `command`. */
const channel = z
  .strictObject({
    id,
    /** Whoever knows it can write there. */
    url: webAddress.optional(),
    as: z.enum(SHAPES, { error: mustBeOneOf(SHAPES) }).optional(),
    /** It may travel without TLS to another machine. */
    allowInsecure: z.boolean().default(false),
    /** With user and password. */
    smtp: secret(address(['smtps:', 'smtp:'])).optional(),
    from: z.string().min(1).optional(),
    to: z.array(z.string().min(1)).min(1).optional(),
    /** A program and its arguments; no shell reads them. */
    command: z.array(z.string().min(1)).min(1).optional(),
  })
  .refine(({ url, smtp, command }) => [url, smtp, command].filter(isSaid).length === 1, {
    error: 'must have one of url, smtp and command',
  })
  .refine(({ smtp, from, to }) => isSaid(smtp) === (isSaid(from) && isSaid(to)), {
    error: 'must have smtp, from and to together',
  })
  .refine(({ url, as }) => as === undefined || isSaid(url), { error: 'has as, and no url' })
  .refine(({ url, allowInsecure }) => allowInsecure || !isOpenLine(url ?? ''), {
    path: ['url'],
    error:
      'is http:// to another machine, so it could be read on the way; ' +
      'write https://, or allowInsecure: true beside it',
  })

function isSaid(value: unknown): boolean {
  return value !== undefined
}

const route = z.strictObject({
  kinds: z
    .array(z.enum(ALARM_KIND_NAMES, { error: mustBeOneOf(ALARM_KIND_NAMES) }))
    .min(1)
    .optional(),
  stores: z.array(z.string().min(1)).min(1).optional(),
  to: z.array(z.string().min(1)),
})

const quiet = z.strictObject({
  from: clock,
  to: clock,
  zone: z.string().refine(isTimeZone, 'is not a time zone; write it like America/Los_Angeles'),
})

/** The `notify:` section of tillage.yaml: who is called, for what, and when not. */
export const notifySettings = z
  .strictObject({
    channels: z.array(channel).default([]),
    /** What no route names goes to every channel. */
    routes: z.array(route).default([]),
    /** Holds back what is not critical. */
    quiet: quiet.optional(),
    /** Is asked after each morning in which every store's night was good. */
    heartbeat: webAddress.optional(),
  })
  .superRefine(({ channels, routes }, context) => {
    const ids = channels.map(one => one.id)
    const twice = ids.find((one, at) => ids.indexOf(one) !== at)
    if (twice !== undefined)
      context.addIssue({
        code: 'custom',
        path: ['channels'],
        message: `two channels have the id ${twice}`,
      })
    routes.forEach(({ to }, at) => {
      for (const unknown of to.filter(one => !ids.includes(one)))
        context.addIssue({
          code: 'custom',
          path: ['routes', at, 'to'],
          message: `there is no channel ${unknown}`,
        })
    })
  })

export type NotifySettings = z.infer<typeof notifySettings>
export type Channel = NotifySettings['channels'][number]
