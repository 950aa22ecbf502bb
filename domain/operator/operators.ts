import * as z from 'zod'
import { forbidden, signInNeeded } from '../errors.ts'
import { recentSignInMs } from '../lifetimes.ts'

/** Stands for a stage without operators: a function's variable is never empty. */
const nobody = 'nobody'

/**
 * Console users by e-mail address; the value is the only accepted passkey, or null if any of the account's is accepted.
 */
export type Operators = ReadonlyMap<string, string | null>

const address = z.string().trim().toLowerCase().pipe(z.email())
const passkeyId = z
  .string()
  .trim()
  .regex(/^pky_[\w-]+$/)

/** @throws an error that names an entry that is neither an address nor an address, a slash and a passkey */
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

/** In the form of a function's variable. */
export const operatorsText = (operators: Operators): string =>
  [...operators].map(([email, passkey]) => (passkey === null ? email : `${email}/${passkey}`)).join(',') || nobody

interface Asking {
  /** Null unless the user's account is open. */
  email: string | null
  passkeyId: string | null
  /** ISO 8601 UTC. */
  signedInAt: string
}

/**
 * Tells only operators what else is required.
 * @param nowMs null where the age of the sign-in does not matter
 * @throws forbidden
 */
export function checkOperator(
  operators: Operators,
  { email, passkeyId, signedInAt }: Asking,
  nowMs: number | null,
): string {
  const passkey = email === null ? undefined : operators.get(email)
  if (email === null || passkey === undefined) throw forbidden('This is for the operators of the service.')
  if (passkeyId === null)
    throw signInNeeded('passkey', 'This requires a sign-in with a passkey. Sign in with yours, then repeat it.')
  if (passkey !== null && passkey !== passkeyId)
    throw signInNeeded('passkey', 'This requires a sign-in with another passkey: the one that the stage’s file names.')
  const age = nowMs === null ? 0 : nowMs - Date.parse(signedInAt)
  if (!(age <= recentSignInMs))
    throw signInNeeded('passkey', 'This requires a sign-in of the last 10 minutes. Sign in again, then repeat it.')
  return email
}
