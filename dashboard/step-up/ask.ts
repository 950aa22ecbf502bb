/** Asks for a newer sign-in for any action of a page, which keeps its typed text. */
import { BerthError } from '../../clients/typescript/client.ts'

/** A recent sign-in, or a recent one by passkey. */
type SignInKind = 'recent' | 'passkey'

export interface SignInRequest {
  kind: SignInKind
  answer(signedIn: boolean): void
}

/** The sign-in that a refusal requires; null for any other refusal. */
function signInKindOf(thrown: unknown): SignInKind | null {
  const [how] = (thrown instanceof BerthError && thrown.code === 'forbidden' && thrown.details.signIn) || []
  return how === 'recent' || how === 'passkey' ? how : null
}

let show: ((request: SignInRequest | null) => void) | null = null
let open: Promise<boolean> | null = null

/** Registers the dialog. @returns a function that unregisters it */
export function showStepUpBy(by: (request: SignInRequest | null) => void): () => void {
  show = by
  return () => {
    if (show === by) show = null
  }
}

/** Asks once for all waiting actions. @returns whether the user signed in */
export function askToSignIn(kind: SignInKind): Promise<boolean> {
  const shown = show
  if (!shown) return Promise.resolve(false)
  open ??= new Promise<boolean>((resolve) => {
    const answer = (signedIn: boolean) => {
      open = null
      shown(null)
      resolve(signedIn)
    }
    shown({ kind, answer })
  })
  return open
}

/** Runs an action; if that needs a newer sign-in, asks for it and runs the action again. */
export async function withSignIn<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (refusal) {
    const kind = signInKindOf(refusal)
    if (!kind || !(await askToSignIn(kind))) throw refusal
    return work()
  }
}
