/** How anything on a page that wants a newer sign-in asks for it: what was typed stays where it is meanwhile. */
import { BerthError } from '../../clients/typescript/client.ts'

/** What a new sign-in must be: of now, or of now and by passkey. */
export type WantedSignIn = 'recent' | 'passkey'

/** A question that waits for its answer: whether the user has signed in anew. */
export interface Asked {
  wanted: WantedSignIn
  answer(signedIn: boolean): void
}

/** What a refusal asks for; null for any other refusal. */
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

/** Asks the user to sign in anew, once for all that wait for it. True when that was done. */
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
