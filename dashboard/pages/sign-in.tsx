import { useEffect, useRef, useState } from 'react'
import { BerthError } from '../../clients/typescript/client.ts'
import { presentTerms } from '../../domain/account/terms-versions.ts'
import type { Account } from '../../domain/account/user.ts'
import { passkeysWork, signInWithPasskey } from '../account/passkeys.ts'
import { Button } from '../components/button.tsx'
import { EmailField } from '../components/email-field.tsx'
import { Form } from '../components/form.tsx'
import { Brand } from '../components/icons.tsx'
import { LocalInbox } from '../components/local-inbox.tsx'
import { Notice, Problem } from '../components/notice.tsx'
import { TextField } from '../components/text-field.tsx'
import { useAction } from '../components/use-action.ts'
import { berth } from '../data/client.ts'
import { showUtcDay } from '../format.ts'
import { signInTexts as words } from '../texts/sign-in.ts'

interface Props {
  because: string | undefined
  onSignedIn: (account: Account) => void
}

export function SignInPage(props: Props) {
  useEffect(() => {
    document.title = `${words.title} · Berth`
  }, [])
  return (
    <main className="sign-in">
      <Brand />
      <SignInCard {...props} heading="h1" />
      <p className="sign-in-foot muted">{words.foot}</p>
    </main>
  )
}

type Heading = 'h1' | 'h2'

/** Signs in by an e-mailed code or a passkey; also used next to an offer. */
export function SignInCard({ because, onSignedIn: signedIn, heading }: Props & { heading: Heading }) {
  const [link, setLink] = useState(mailedLink)
  const [email, setEmail] = useState('')
  const [mailed, setMailed] = useState<Mailed | null>(null)
  const onSignedIn = (account: Account) => {
    if (window.location.pathname === '/sign-in') window.history.replaceState(null, '', '/')
    signedIn(account)
  }
  return (
    <section className="card sign-in-card">
      {link ? (
        <LinkForm link={link} onSignedIn={onSignedIn} onBack={() => setLink(null)} Heading={heading} />
      ) : mailed ? (
        <CodeForm
          email={email}
          mailed={mailed}
          onSignedIn={onSignedIn}
          onBack={() => setMailed(null)}
          Heading={heading}
        />
      ) : (
        <>
          <EmailForm because={because} email={email} setEmail={setEmail} onMailed={setMailed} Heading={heading} />
          <PasskeyButton onSignedIn={onSignedIn} />
        </>
      )}
      <Terms />
      <a className="report muted" href="/.well-known/security.txt">
        {words.report}
      </a>
    </section>
  )
}

const Terms = () => (
  <details className="terms muted">
    <summary>{words.terms.accepts(showUtcDay(presentTerms))}</summary>
    <ul>
      {words.terms.points.map((point) => (
        <li key={point}>{point}</li>
      ))}
    </ul>
  </details>
)

/** A rough check; the service decides. */
export const isAddress = (text: string): boolean => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text.trim())

interface EmailProps {
  because: string | undefined
  email: string
  setEmail: (email: string) => void
  onMailed: (mailed: Mailed) => void
  Heading: Heading
}

function EmailForm({ because, email, setEmail, onMailed, Heading }: EmailProps) {
  const field = useRef<HTMLInputElement>(null)
  const [missing, setMissing] = useState<string | null>(null)
  const login = useAction(async () => {
    onMailed(await berth.login({ email: email.trim() }))
  })
  const submit = () => {
    const bad = !isAddress(email)
    setMissing(bad ? words.badEmail : null)
    if (bad) field.current?.focus()
    else login.run()
  }
  const problem = missing ?? login.details.email?.[0] ?? login.problem
  useEffect(() => field.current?.focus({ preventScroll: true }), [])
  return (
    <Form onSubmit={submit}>
      <Heading>{words.title}</Heading>
      <p className="muted">{words.lead}</p>
      {because && <Notice tone="info">{because}</Notice>}
      <EmailField label={words.email} ref={field} value={email} onText={setEmail} problem={problem} />
      <Button variant="primary" submit busy={login.busy}>
        {words.send}
      </Button>
    </Form>
  )
}

const codeLength = 6
const resendSeconds = 30

interface FormProps {
  Heading: Heading
  onSignedIn: (account: Account) => void
  onBack: () => void
}

export type Mailed = Awaited<ReturnType<typeof berth.login>>

interface CodeProps extends FormProps {
  email: string
  mailed: Mailed
  back?: string
}

/** Signs in as soon as the code is complete. */
export function CodeForm({ email, mailed, onSignedIn, onBack, Heading, back = words.code.otherAddress }: CodeProps) {
  const [code, setCode] = useState('')
  const [wait, setWait] = useState(resendSeconds)
  const [bounced, setBounced] = useState(mailed.bounced)
  const field = useRef<HTMLInputElement>(null)

  useEffect(() => field.current?.focus({ preventScroll: true }), [])
  useEffect(() => {
    if (wait <= 0) return
    const timer = setTimeout(() => setWait(wait - 1), 1_000)
    return () => clearTimeout(timer)
  }, [wait])

  const verify = useAction(async (typed: string) => {
    const complete = typed.length === codeLength
    if (!complete) throw new BerthError('validation', words.code.incomplete)
    try {
      const { account } = await berth.verify({ email: email.trim(), code: typed, terms: presentTerms })
      onSignedIn(account)
    } catch (thrown) {
      field.current?.select()
      const wrong = thrown instanceof BerthError && (thrown.code === 'unauthorized' || thrown.code === 'validation')
      if (!wrong) throw thrown
      throw new BerthError('unauthorized', words.code.wrong)
    }
  })
  const resend = useAction(async () => {
    setBounced((await berth.login({ email: email.trim() })).bounced)
    setCode('')
    setWait(resendSeconds)
    field.current?.focus()
  })
  const type = (text: string) => {
    const digits = text.replaceAll(/\D/g, '').slice(0, codeLength)
    setCode(digits)
    verify.clear()
    if (digits.length === codeLength && digits !== code) verify.run(digits)
  }
  const problem = verify.problem ?? resend.problem
  return (
    <Form onSubmit={() => verify.run(code)}>
      <Heading>{words.code.title}</Heading>
      {bounced && <Notice tone="bad">{words.code.bounced(<strong>{email.trim()}</strong>)}</Notice>}
      <p className="muted">{words.code.sent(<strong>{email.trim()}</strong>)}</p>
      <LocalInbox to={email.trim()} />
      <TextField
        label={words.code.label}
        ref={field}
        className="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        placeholder="000000"
        value={code}
        onText={type}
        problem={problem}
      />
      <Button variant="primary" submit busy={verify.busy}>
        {words.title}
      </Button>
      <div className="sign-in-more">
        <button type="button" className="link-button" disabled={wait > 0 || resend.busy} onClick={() => resend.run()}>
          {wait > 0 ? words.code.againIn(wait) : words.code.again}
        </button>
        <button type="button" className="link-button" onClick={onBack}>
          {back}
        </button>
      </div>
    </Form>
  )
}

interface MailedLink {
  email: string
  token: string
}

/** The content of an e-mailed link after its `#`, which no server sees; null on any other address. */
function mailedLink(): MailedLink | null {
  const fields = new URLSearchParams(window.location.hash.slice(1))
  const [email, token] = [fields.get('email'), fields.get('token')]
  return email && token ? { email, token } : null
}

/** A button, so that programs that open links do not use them up. */
function LinkForm({ link, onSignedIn, onBack, Heading }: FormProps & { link: MailedLink }) {
  const verify = useAction(async () => {
    const { account } = await berth.verify({ email: link.email, token: link.token, terms: presentTerms })
    onSignedIn(account)
  })
  return (
    <Form onSubmit={verify.run}>
      <Heading>{words.title}</Heading>
      <p className="muted">{words.link.opened(<strong>{link.email}</strong>)}</p>
      <Problem text={verify.problem} />
      <Button variant="primary" submit busy={verify.busy}>
        {words.title}
      </Button>
      <div className="sign-in-more">
        <button type="button" className="link-button" onClick={onBack}>
          {words.link.useCode}
        </button>
      </div>
    </Form>
  )
}

/** Hidden where browsers have no passkeys. */
export function PasskeyButton({ onSignedIn }: { onSignedIn: (account: Account) => void }) {
  const signIn = useAction(async () => onSignedIn(await signInWithPasskey()))
  if (!passkeysWork()) return null
  return (
    <>
      <Button busy={signIn.busy} onClick={() => signIn.run()}>
        {words.passkey}
      </Button>
      <Problem text={signIn.problem} />
    </>
  )
}
