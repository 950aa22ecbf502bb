import * as z from 'zod'
import { forbidden, signInNeeded } from '../errors.ts'
import { recentSignInMs } from '../lifetimes.ts'

/** The value for a stage without operators: a function's variable is never empty. */
const nobody = 'nobody'

/**
 * The people who may use the console: e-mail address → the only accepted passkey, null if any of the account's is
 * accepted.
 */
export type Operators = ReadonlyMap<string, string | null>

const address = z.string().trim().toLowerCase().pipe(z.email())
const passkeyId = z
  .string()
  .trim()
  .regex(/^pky_[\w-]+$/)

/** @throws an error that names what is no address, perhaps with the passkey that it wants behind a slash */
export function readOperators(text: string): Operators {
  const all = text === nobody ? [] : text.split(',').filter((entry) => entry.trim() !== '')
  return new Map(
    all.map((entry) => {
      const [email, passkey, ...more] = entry.split('/')
      const read = z.tuple([address, passkeyId.nullable()]).safeParse([email, passkey ?? null])
      if (!read.success || more.length > 0)
        throw new Error(`"${entry}" is no e-mail address, nor one with /pky_… behind it`)
      return read.data
    }),
  )
}

/** As a function's variable has them. */
export const operatorsText = (operators: Operators): string =>
  [...operators].map(([email, passkey]) => (passkey === null ? email : `${email}/${passkey}`)).join(',') || nobody

/** A session that asks for something of an operator's. */
interface Asking {
  /** The user id of an existing open account; null for any other. */
  email: string | null
  passkeyId: string | null
  /** ISO 8601 UTC. */
  signedInAt: string
}

/**
 * Nobody who is no operator learns what it takes to be one.
 * @param nowMs null where the age of the sign-in is no matter @throws forbidden
 */
export function checkOperator(
  operators: Operators,
  { email, passkeyId, signedInAt }: Asking,
  nowMs: number | null,
): string {
  const wanted = email === null ? undefined : operators.get(email)
  if (email === null || wanted === undefined) throw forbidden('This is for the operators of the service.')
  if (passkeyId === null)
    throw signInNeeded('passkey', 'This requires a sign-in with a passkey. Sign in with yours, then repeat it.')
  if (wanted !== null && wanted !== passkeyId)
    throw signInNeeded('passkey', 'This requires a sign-in with another passkey: the one that the stage’s file names.')
  const age = nowMs === null ? 0 : nowMs - Date.parse(signedInAt)
  if (!(age <= recentSignInMs))
    throw signInNeeded('passkey', 'This requires a sign-in of the last 10 minutes. Sign in again, then repeat it.')
  return email
}
