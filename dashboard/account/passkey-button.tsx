import type { Account } from '../../domain/account/user.ts'
import { Button } from '../parts/button.tsx'
import { useAction } from '../parts/use-action.ts'
import { passkeysWork, signInWithPasskey } from './passkey.ts'

/** Signs in with a passkey of this device, where browsers have them. */
export function PasskeyButton({ onSignedIn }: { onSignedIn: (account: Account) => void }) {
  const signIn = useAction(async () => onSignedIn(await signInWithPasskey()))
  if (!passkeysWork()) return null
  return (
    <>
      <Button busy={signIn.busy} onPress={() => signIn.run()}>
        Sign in with a passkey
      </Button>
      <p className="field-problem" role="alert">
        {signIn.problem}
      </p>
    </>
  )
}
