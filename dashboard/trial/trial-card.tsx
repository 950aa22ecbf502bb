import { useRef, useState } from 'react'
import type { Account } from '../../domain/account/user.ts'
import { maxTextCharacters } from '../../domain/chat/text-limits.ts'
import type { TrialOffer } from '../../domain/trial/trial.ts'
import { Button } from '../components/button.tsx'
import { EmailField } from '../components/email-field.tsx'
import { Form } from '../components/form.tsx'
import { Problem } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { berth } from '../data/client.ts'
import { showBalance, showCount } from '../format.ts'
import { CodeForm, isAddress, type Mailed } from '../pages/sign-in.tsx'
import { signInTexts as signInWords } from '../texts/sign-in.ts'
import { trialTexts as words } from '../texts/trial.ts'
import { keepPrompt, readPrompt } from './kept-prompt.ts'

interface Props {
  offer: TrialOffer
  onSignedIn: (account: Account) => void
  onHaveAccount: () => void
}

export function TrialCard({ offer, onSignedIn, onHaveAccount }: Props) {
  const [email, setEmail] = useState('')
  const [mailed, setMailed] = useState<Mailed | null>(null)
  return (
    <section className="card sign-in-card">
      {mailed ? (
        <CodeForm email={email} mailed={mailed} onSignedIn={onSignedIn} onBack={() => setMailed(null)} Heading="h2" />
      ) : (
        <PromptForm
          offer={offer}
          email={email}
          setEmail={setEmail}
          onMailed={setMailed}
          onHaveAccount={onHaveAccount}
        />
      )}
    </section>
  )
}

interface PromptProps extends Pick<Props, 'offer' | 'onHaveAccount'> {
  email: string
  setEmail: (email: string) => void
  onMailed: (mailed: Mailed) => void
}

function PromptForm({ offer, email, setEmail, onMailed, onHaveAccount }: PromptProps) {
  const [prompt, setPrompt] = useState(readPrompt)
  const [missing, setMissing] = useState<'prompt' | 'email' | null>(null)
  const fields = { prompt: useRef<HTMLTextAreaElement>(null), email: useRef<HTMLInputElement>(null) }
  const login = useAction(async () => {
    onMailed(await berth.login({ email: email.trim() }))
  })
  const submit = () => {
    const bad = prompt.trim() === '' ? 'prompt' : isAddress(email) ? null : 'email'
    setMissing(bad)
    if (bad) fields[bad].current?.focus()
    else login.run()
  }
  const emailProblem = missing === 'email' ? signInWords.badEmail : (login.details.email?.[0] ?? login.problem)
  return (
    <Form onSubmit={submit}>
      <h2>{words.title}</h2>
      <p className="muted">{words.offer(showBalance(offer.creditMicros), showCount(offer.hours))}</p>
      <div className="field">
        <label htmlFor="prompt">{words.prompt}</label>
        <textarea
          ref={fields.prompt}
          id="prompt"
          rows={3}
          dir="auto"
          maxLength={maxTextCharacters}
          placeholder={words.example}
          value={prompt}
          onChange={(event) => {
            setPrompt(event.target.value)
            keepPrompt(event.target.value)
          }}
          aria-invalid={missing === 'prompt'}
          aria-describedby="prompt-problem"
        />
        <Problem id="prompt-problem" text={missing === 'prompt' && words.noPrompt} />
      </div>
      <EmailField label={words.email} ref={fields.email} value={email} onText={setEmail} problem={emailProblem} />
      <Button variant="primary" submit busy={login.busy}>
        {words.start}
      </Button>
      <p className="muted">{words.afterwards(showCount(offer.keptDays))}</p>
      <div className="sign-in-more">
        <button type="button" className="link-button" onClick={onHaveAccount}>
          {words.haveAccount}
        </button>
      </div>
    </Form>
  )
}
