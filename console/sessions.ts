import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Config } from '../config.ts'
import { isWithin } from './age.ts'
import type { Role } from './roles.ts'

const SESSION_VALID_MS = 12 * 3_600_000

type Users = Config['console']['users']

/** Somebody who looks at the pages. */
export interface Person {
  /** Undefined: the user of the terminal, who says a name with each decision. */
  name: string | undefined
  role: Role
}

export interface Session extends Person {
  id: string
  begunMs: number
  /** When a password was given last. */
  passwordMs: number
}

/** Who is signed in, as long as this process lives. */
export class Sessions {
  private readonly kept = new Map<string, Session>()
  private readonly key = randomBytes(32)
  private users: Users = []

  /** Says who may sign in from now on. Whoever was another one before is signed out. */
  admit(users: Users): void {
    const isAsBefore = ({ name }: Session): boolean =>
      name === undefined
        ? users.length === 0
        : isSame(userOf(users, name), userOf(this.users, name))
    for (const [id, session] of this.kept) if (!isAsBefore(session)) this.kept.delete(id)
    this.users = users
  }

  begin(person: Person, nowMs: number): Session {
    for (const [id, { begunMs }] of this.kept)
      if (!isWithin(SESSION_VALID_MS, begunMs, nowMs)) this.kept.delete(id)
    const id = randomBytes(32).toString('base64url')
    const session = { ...person, id, begunMs: nowMs, passwordMs: nowMs }
    this.kept.set(id, session)
    return session
  }

  find(id: string | undefined, nowMs: number): Session | undefined {
    const session = id === undefined ? undefined : this.kept.get(id)
    if (session === undefined || isWithin(SESSION_VALID_MS, session.begunMs, nowMs)) return session
    // It is over for good, whatever the clock shows next.
    this.kept.delete(session.id)
    return undefined
  }

  end(id: string): void {
    this.kept.delete(id)
  }

  /** What each form of a session carries: nobody else's page can know it. */
  tokenOf({ id }: Session): string {
    return createHmac('sha256', this.key).update(id).digest('base64url')
  }

  isTokenOf(session: Session, token: string | undefined): boolean {
    const [given, right] = [Buffer.from(token ?? ''), Buffer.from(this.tokenOf(session))]
    return given.length === right.length && timingSafeEqual(given, right)
  }
}

const userOf = (users: Users, name: string): Users[number] | undefined =>
  users.find(user => user.name === name)

const isSame = (one: Users[number] | undefined, other: Users[number] | undefined): boolean =>
  one?.role === other?.role && one?.password === other?.password
