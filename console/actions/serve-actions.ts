import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import type { FastifyReply } from 'fastify'
import { nameKey } from '../../outbound/approval.ts'
import { storesOf } from '../parts/chosen.ts'
import type { Exchange, Served } from '../served.ts'
import type { Session } from '../sessions.ts'
import { mayDo } from './action.ts'
import type { Action } from './action.ts'
import { findAction } from './index.ts'
import { askPassword, knowsPassword } from './password.ts'
import { PREPARED, preparerOf } from './prepared.ts'
import {
  formOf,
  keepFiles,
  MOST_UPLOAD_BYTES,
  pageIn,
  personIn,
  takeFiles,
  textIn,
  valuesIn,
  refuseForeignForm,
} from './read-form.ts'
import type { Form } from './read-form.ts'
import { AGAIN, Refusal } from './refusal.ts'
import { withoutFolder } from './run-command.ts'
import type { CommandRun } from './run-command.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Takes the forms of actions: checks who sent them, writes that down, and starts the command. */
export function serveActions(served: Served): void {
  takeFiles(served.app)
  const limits = { bodyLimit: MOST_UPLOAD_BYTES }
  served.app.post<{ Params: { name: string } }>('/do/:name', limits, (request, reply) =>
    act(served, request.params.name, { request, reply }),
  )
}

async function act(served: Served, name: string, exchange: Exchange): Promise<FastifyReply> {
  const { request, reply } = exchange
  const person = served.sessionOf(request)
  if (person === undefined) return reply.redirect('/sign-in', 303)
  const form = formOf(request)
  const { action, id } = checkForm(served, person, { name, form })
  // One action, however often it is clicked.
  if (served.commands.find(id) === undefined) {
    // Whoever would be refused anyway types no password for it.
    await refuseChanged(served, form)
    if (action.isApproval === true) await refusePreparer(served, person, textIn(form, 'plan'))
    if (action.asksPassword === true && !(await knowsPassword(served, person, form)))
      return askPassword(served, exchange, { action, form, person })
    await start(served, person, { action, form, id, address: request.ip })
  }
  return reply.redirect(`/runs/${id}`, 303)
}

function checkForm(
  { sessions, commands }: Served,
  person: Session,
  { name, form }: { name: string; form: Form },
): { action: Action; id: string } {
  refuseForeignForm(sessions, person, form)
  const action = findAction(name)
  if (action === undefined) throw new Refusal(404, 'There is no such action.', AGAIN)
  const needed = `This needs the role ${action.role} or admin; you are ${person.role}.`
  if (!mayDo(person.role, action)) throw new Refusal(403, needed, 'Ask somebody who has it.')
  const id = textIn(form, '_action')
  if (!UUID.test(id)) throw new Refusal(400, 'The form has no number of its own.', AGAIN)
  if (commands.isFull && commands.find(id) === undefined)
    throw new Refusal(503, 'Eight actions are under way.', 'Wait until one of them has ended.')
  return { action, id }
}

/** What is decided is what the page showed: a plan whose hash is another by now is not touched. */
async function refuseChanged({ withPlace }: Served, form: Form): Promise<void> {
  const [plan, hash] = [textIn(form, 'plan'), textIn(form, 'hash')]
  if (hash === '') return
  const now = await withPlace(async ({ outbound }) => (await outbound.plan(plan))?.hash)
  if (now === hash) return
  throw new Refusal(
    409,
    `Your page showed ${plan} as ${hash.slice(0, 12)}; it is ${now?.slice(0, 12) ?? 'gone'} now.`,
    `Look at it again: /plans/${encodeURIComponent(plan)}.`,
  )
}

async function start(
  served: Served,
  person: Session,
  { action, form, id, address }: { action: Action; form: Form; id: string; address: string },
): Promise<void> {
  const by = personIn(person, action, form)
  // Everything is checked before anything is written.
  const values = valuesIn(action, { form, stores: storesOf(served) })
  const files = await keepFiles(action, form)
  const args = action.command({
    value: name => values[name]!,
    files: name => files.get(name) ?? [],
    by,
  })
  const copies = [...files.values()].flat()
  const hidden = copies[0] === undefined ? '' : dirname(copies[0])
  await served.noteAct(`console ${action.name}`, {
    by: by === '' ? 'user of the terminal' : by,
    address,
    command: withoutFolder(args.join(' '), hidden),
    ...(values['reason'] === undefined ? {} : { reason: values['reason'] }),
  })
  const again = hidden === '' ? undefined : { action: action.name, values }
  const { title, tellsOfPeople } = action
  const order = { id, title, args, by, tellsOfPeople, hidden, form: again, from: pageIn(form) }
  served.commands.start(order, async run => {
    // What the command needs of them it has copied.
    if (hidden !== '') rmSync(hidden, { recursive: true, force: true })
    // Before anybody is told of a plan: who made it must not approve it.
    if (action.makesPlan === true && by !== '') await notePrepared(served, run)
  })
}

/** Of all plans that a command names, as rows of a file may, those that were made meanwhile. */
async function notePrepared({ withPlace, noteAct }: Served, run: CommandRun): Promise<void> {
  const named = [...new Set(run.said.match(PLAN_IDS))]
  const made = await withPlace(({ outbound }) =>
    Promise.all(named.map(plan => outbound.plan(plan))),
  )
  for (const plan of made)
    if (plan !== undefined && Date.parse(plan.createdAt) >= run.startedMs)
      await noteAct(PREPARED, { plan: plan.plan, by: run.by })
}

const PLAN_IDS = /\bPLN?-\d{8}-[0-9a-f]{8}\b/g

/** Whoever made a plan here does not approve it (INV-8). */
async function refusePreparer(
  { notedActs }: Served,
  { name }: Session,
  plan: string,
): Promise<void> {
  const preparer = preparerOf(await notedActs(PREPARED), plan)
  if (preparer === undefined || name === undefined || nameKey(preparer) !== nameKey(name)) return
  throw new Refusal(403, `You prepared ${plan}.`, 'Another person looks at it, and approves it.')
}
