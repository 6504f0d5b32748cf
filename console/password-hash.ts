import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify(
  (password: string, salt: Buffer, cost: Cost, done: (error: Error | null, key: Buffer) => void) =>
    scrypt(
      password.normalize('NFKC'),
      salt,
      KEY_BYTES,
      { ...cost, maxmem: 256 * 1024 * 1024 },
      done,
    ),
)

interface Cost {
  N: number
  r: number
  p: number
}

/** 32 MB and a tenth of a second for each guess, as OWASP's password storage cheat sheet has it. */
const COST: Cost = { N: 2 ** 15, r: 8, p: 3 }
const KEY_BYTES = 32
const FORM = /^scrypt\$(\d{1,2})\$(\d{1,2})\$(\d{1,2})\$([\w-]{16,64})\$([\w-]{43})$/

/** `scrypt$15$8$3$SALT$KEY`: the cost is written beside it, so that it can grow later. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const key = await derive(password, salt, COST)
  const cost = [Math.log2(COST.N), COST.r, COST.p]
  return ['scrypt', ...cost, salt.toString('base64url'), key.toString('base64url')].join('$')
}

export const isPasswordHash = (text: string): boolean => read(text) !== undefined

/** Takes as long for a name that nobody has (`hash` undefined) as for a wrong password. */
export async function isPassword(password: string, hash: string | undefined): Promise<boolean> {
  const known = hash === undefined ? undefined : read(hash)
  const { cost, salt, key } = known ?? NOBODY
  const isRight = timingSafeEqual(await derive(password, salt, cost), key)
  return known !== undefined && isRight
}

const NOBODY = { cost: COST, salt: Buffer.alloc(16), key: Buffer.alloc(KEY_BYTES) }

function read(hash: string): typeof NOBODY | undefined {
  const [, exponent, r, p, salt, key] = FORM.exec(hash) ?? []
  if (key === undefined) return undefined
  const cost = { N: 2 ** Number(exponent), r: Number(r), p: Number(p) }
  if (cost.N < 2 ** 14 || cost.N > 2 ** 17 || cost.r !== 8 || cost.p < 1 || cost.p > 8)
    return undefined
  return { cost, salt: Buffer.from(salt!, 'base64url'), key: Buffer.from(key, 'base64url') }
}
