import type { Account } from '../../domain/account/user.ts'
import { Button } from '../parts/button.tsx'
import { useAction } from '../parts/use-action.ts'
import { accountApi } from './calls.ts'

export interface MailedLink {
  email: string
  token: string
}

/** What a mailed link carries behind its `#`, where no server sees it; null on any other address. */
export function mailedLink(): MailedLink | null {
  const fields = new URLSearchParams(window.location.hash.slice(1))
  const [email, token] = [fields.get('email'), fields.get('token')]
  return email && token ? { email, token } : null
}

/** One press, so that a program that only looks at links does not use it up. */
export function LinkForm({
  link,
  onSignedIn,
  onBack,
}: {
  link: MailedLink
  onSignedIn: (account: Account) => void
  onBack: () => void
}) {
  const verify = useAction(async () => {
    const { account } = await accountApi.verifyLink(link.email, link.token)
    onSignedIn(account)
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        verify.run()
      }}
    >
      <h1>Sign in</h1>
      <p className="muted">
        You opened the link mailed to <strong>{link.email}</strong>.
      </p>
      <p className="field-problem" role="alert">
        {verify.problem}
      </p>
      <Button look="primary" submit busy={verify.busy}>
        Sign in
      </Button>
      <div className="gate-more">
        <button type="button" className="quiet" onClick={onBack}>
          Use a code instead
        </button>
      </div>
    </form>
  )
}
