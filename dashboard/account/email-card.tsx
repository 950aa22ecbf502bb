import { useState } from 'react'
import { useAccount } from '../account-state.tsx'
import { Button } from '../components/button.tsx'
import { EmailField } from '../components/email-field.tsx'
import { Form } from '../components/form.tsx'
import { LocalInbox } from '../components/local-inbox.tsx'
import { Notice, Problem } from '../components/notice.tsx'
import { TextField } from '../components/text-field.tsx'
import { useAction } from '../components/use-action.ts'
import { berth } from '../data/client.ts'
import { accountTexts } from '../texts/account.ts'

const words = accountTexts.email

export function EmailCard() {
  const { account } = useAccount()
  const [present, setPresent] = useState(account.email)
  const [email, setEmail] = useState('')
  const [waiting, setWaiting] = useState<string | null>(null)
  const [moved, setMoved] = useState(false)
  const ask = useAction(async () => {
    const { confirm } = await berth.updateAccount({ email: email.trim() })
    setMoved(false)
    setWaiting(confirm)
  })
  const problem = ask.details.email?.[0] ?? ask.problem
  return (
    <section className="card" aria-labelledby="email-title">
      <h2 id="email-title">{words.title}</h2>
      <p className="lead">{present}</p>
      {moved && <Notice tone="good">{words.moved}</Notice>}
      {waiting === null ? (
        <Form onSubmit={ask.run}>
          <EmailField label={words.new} value={email} onText={setEmail} problem={problem} />
          <Button submit busy={ask.busy} disabled={email.trim() === ''}>
            {words.mail}
          </Button>
        </Form>
      ) : (
        <Confirm
          present={present}
          email={waiting}
          onMoved={(now) => {
            setPresent(now)
            setWaiting(null)
            setEmail('')
            setMoved(true)
          }}
          onBack={() => setWaiting(null)}
        />
      )}
    </section>
  )
}

interface ConfirmProps {
  present: string
  email: string
  onMoved: (email: string) => void
  onBack: () => void
}

/** Both addresses confirm the change: access to only one of them cannot move the account. */
function Confirm({ present, email, onMoved, onBack }: ConfirmProps) {
  const [currentCode, setCurrentCode] = useState('')
  const [newCode, setNewCode] = useState('')
  const confirm = useAction(async () => {
    const { account } = await berth.updateAccount({
      email,
      currentCode: currentCode.trim(),
      newCode: newCode.trim(),
    })
    onMoved(account.email)
  })
  const field = (id: 'currentCode' | 'newCode', to: string, value: string, set: (text: string) => void) => (
    <TextField
      label={words.code(to)}
      autoComplete="one-time-code"
      value={value}
      onText={set}
      problem={confirm.details[id]?.[0] ?? null}
    />
  )
  const other = confirm.details.currentCode || confirm.details.newCode ? null : confirm.problem
  return (
    <Form onSubmit={confirm.run}>
      <p className="muted">{words.both}</p>
      <LocalInbox />
      {field('currentCode', present, currentCode, setCurrentCode)}
      {field('newCode', email, newCode, setNewCode)}
      <Problem text={other} />
      <div className="buttons">
        <Button variant="primary" submit busy={confirm.busy}>
          {words.move}
        </Button>
        <Button onClick={onBack}>{words.keep}</Button>
      </div>
    </Form>
  )
}
