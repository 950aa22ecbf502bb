/** Asks for a newer sign-in on behalf of any action of a page; typed text stays in place meanwhile. */
import { BerthError } from '../../clients/typescript/client.ts'

/** The required kind of sign-in: a recent one, or a recent one by passkey. */
export type WantedSignIn = 'recent' | 'passkey'

/** An open request for a new sign-in. */
export interface Asked {
  wanted: WantedSignIn
  answer(signedIn: boolean): void
}

/** The sign-in that a refusal requires; null for any other refusal. */
export function wantedSignIn(thrown: unknown): WantedSignIn | null {
  const [how] = (thrown instanceof BerthError && thrown.code === 'forbidden' && thrown.details.signIn) || []
  return how === 'recent' || how === 'passkey' ? how : null
}

let show: ((asked: Asked | null) => void) | null = null
let open: Promise<boolean> | null = null

/** Says who shows the question. @returns what ends that */
export function showStepUpBy(by: (asked: Asked | null) => void): () => void {
  show = by
  return () => {
    if (show === by) show = null
  }
}

/** Asks the user to sign in again, once for all waiting actions. True when that was done. */
export function askToSignIn(wanted: WantedSignIn): Promise<boolean> {
  const shown = show
  if (!shown) return Promise.resolve(false)
  open ??= new Promise<boolean>((resolve) => {
    const answer = (signedIn: boolean) => {
      open = null
      shown(null)
      resolve(signedIn)
    }
    shown({ wanted, answer })
  })
  return open
}

/** Does something; where that is refused for want of a newer sign-in, once more after the user has signed in. */
export async function withSignIn<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (refusal) {
    const wanted = wantedSignIn(refusal)
    if (!wanted || !(await askToSignIn(wanted))) throw refusal
    return work()
  }
}
