import type { Option } from 'commander'
import type { OutboundPlan, OutboundStore } from '../../connectors/destination/outbound.ts'
import { askForChanges, withdrawRequest } from '../../outbound/ask-changes.ts'
import { discardPlan } from '../../outbound/discard.ts'
import type { RunPlace } from '../../outbound/run.ts'
import { declareCommand, option } from '../command.ts'
import type { AnyCommand, CommandFamily, Context } from '../command.ts'

/** What a person says of a plan, of which store where plans of several have its name. */
interface SaidBy {
  by: string
  reason: string
  store?: string
}

type SayIt = (
  place: RunPlace & { store: OutboundStore },
  plan: Pick<OutboundPlan, 'plan' | 'kind'>,
) => Promise<unknown>

/** Says it of the plan that was named, and shows how the plan stands then. */
export type SayOfPlan = (
  context: Context,
  named: { plan: string; store: string | undefined },
  say: SayIt,
) => Promise<number>

/** `discard`, `ask-changes` and `withdraw-request`: what people say of plans of every kind. */
export const sayingOf = (sayOfPlan: SayOfPlan, notes?: string): CommandFamily['subcommands'] => [
  {
    name: 'discard',
    does: 'gives up the unsent rest of a plan',
    command: reasoned(discardPlan, 'why', { sayOfPlan, notes }),
  },
  {
    name: 'ask-changes',
    does: 'asks for changes of a plan; until you take that back, nothing of it is approved or sent',
    command: reasoned(askForChanges, 'what should be otherwise', { sayOfPlan, notes }),
  },
  {
    name: 'withdraw-request',
    does: 'takes back your own request for changes of a plan',
    command: declareCommand({
      takes: '<plan>',
      options: [byName()],
      notes,
      audited: ({ by }: Pick<SaidBy, 'by'>, plan: string) => ({ plan, by }),
      run: (context, { by, store }: Omit<SaidBy, 'reason'>, plan: string) =>
        sayOfPlan(context, { plan, store }, (place, of) => withdrawRequest(place, of, by.trim())),
    }),
  },
]

const byName = (): Option => option('--by <name>', 'your name').makeOptionMandatory()

const reasoned = (
  say: (...said: [...Parameters<SayIt>, Pick<SaidBy, 'by' | 'reason'>]) => Promise<unknown>,
  reason: string,
  { sayOfPlan, notes }: { sayOfPlan: SayOfPlan; notes: string | undefined },
): AnyCommand =>
  declareCommand({
    takes: '<plan>',
    options: [byName(), option('--reason <text>', reason).makeOptionMandatory()],
    notes,
    audited: ({ by, reason: why }: SaidBy, plan: string) => ({ plan, by, reason: why }),
    run: (context, { by, reason: why, store }: SaidBy, plan: string) =>
      sayOfPlan(context, { plan, store }, (place, of) =>
        say(place, of, { by: by.trim(), reason: why.trim() }),
      ),
  })
