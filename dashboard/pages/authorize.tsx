import { type FormEvent, useEffect, useRef, useState } from 'react'
import type { AuthorizationRequest } from '../../clients/typescript/operations.ts'
import type { Account } from '../../domain/account/user.ts'
import { scopeLabels } from '../../domain/scope-labels.ts'
import type { Scope } from '../../domain/scopes.ts'
import { spends } from '../../domain/spending-scope.ts'
import { berth } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { Brand } from '../components/icons.tsx'
import { LifetimeField } from '../components/lifetime-field.tsx'
import { Loading, Notice } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { useData } from '../components/use-data.ts'
import { microsPerCent } from '../tokens/cap.ts'
import { DollarField, mostCapCents, problemOf, readCents } from '../wallet/dollar-field.tsx'

/** What the program sent the browser with; what the server does not know of it is left behind. */
const query = new URLSearchParams(window.location.search)
const optional = ['response_type', 'code_challenge', 'code_challenge_method', 'scope', 'state', 'resource'] as const
const request = {
  client_id: query.get('client_id') ?? '',
  redirect_uri: query.get('redirect_uri') ?? '',
  ...Object.fromEntries(optional.flatMap((name) => (query.has(name) ? [[name, query.get(name) ?? '']] : []))),
}
const check = () => berth.checkAuthorizationRequest(request)

/** Asks the signed-in user whether a program may act for them. Nothing is sent to it before they have chosen. */
export function AuthorizePage({ account }: { account: Account }) {
  const { data, problem, reload } = useData(check)
  useEffect(() => {
    document.title = 'Connect an app · Berth'
  }, [])
  return (
    <main className="sign-in">
      <Brand />
      <section className="card authorize-card">
        {data ? (
          <Consent asked={data} account={account} />
        ) : problem ? (
          <>
            <h1>This app cannot be connected</h1>
            <Notice tone="bad" action={{ label: 'Try again', run: reload }}>
              {problem}
            </Notice>
          </>
        ) : (
          <Loading problem={null} retry={reload} />
        )}
      </section>
    </main>
  )
}

function Consent({
  asked: { client, redirectHost, scopes },
  account,
}: {
  asked: AuthorizationRequest
  account: Account
}) {
  const [given, setGiven] = useState<Scope[]>(scopes)
  const [days, setDays] = useState(90)
  const [cap, setCap] = useState('5')
  const [wrong, setWrong] = useState<{ scopes?: string; cap?: string | undefined }>({})
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => title.current?.focus(), [])

  const answer = useAction(async (allow: boolean) => {
    const cents = given.some(spends) ? readCents(cap) : null
    const choice = { scopes: given, expiresInDays: days, ...(cents !== null && { capMicros: cents * microsPerCent }) }
    const { redirectTo } = await berth.answerAuthorizationRequest({
      ...request,
      allow,
      ...(allow && choice),
    })
    window.location.replace(redirectTo)
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const problems = {
      ...(given.length === 0 && { scopes: 'Leave at least one, or choose “Do not connect”.' }),
      ...(given.some(spends) && problemOf(cap, 0, mostCapCents) && { cap: problemOf(cap, 0, mostCapCents) }),
    }
    setWrong(problems)
    if (Object.keys(problems).length === 0) answer.run(true)
  }
  const toggle = (scope: Scope, on: boolean) =>
    setGiven(on ? [...given, scope] : given.filter((each) => each !== scope))
  return (
    <form onSubmit={submit} noValidate>
      <h1 ref={title} tabIndex={-1}>
        Connect “{client.name}”?
      </h1>
      <p>
        {client.host ? (
          <>
            The app at <strong>{client.host}</strong> asks to act for <strong>{account.email}</strong>.
          </>
        ) : (
          <>
            An app that calls itself “{client.name}” asks to act for <strong>{account.email}</strong>. Nobody has
            checked that name.
          </>
        )}{' '}
        Your answer goes to <strong>{redirectHost}</strong>. If you did not start this, do not connect it.
      </p>
      <fieldset className="authorize-scopes">
        <legend>It may</legend>
        {scopes.map((scope) => (
          <label key={scope}>
            <input
              type="checkbox"
              checked={given.includes(scope)}
              onChange={(event) => toggle(scope, event.target.checked)}
            />
            <span>
              {scopeLabels[scope]} <code>{scope}</code>
            </span>
          </label>
        ))}
      </fieldset>
      <p className="field-problem" role="alert">
        {wrong.scopes}
      </p>
      <LifetimeField id="authorize-days" label="It has to ask again" days={days} onChange={setDays} />
      {given.some(spends) ? (
        <DollarField
          id="authorize-cap"
          label="Most it may spend, in dollars"
          hint="In all, until it asks again. 0 lets it spend nothing."
          value={cap}
          onChange={setCap}
          problem={wrong.cap}
        />
      ) : (
        <p className="muted">None of this lets it call models, so it cannot spend from your wallet by itself.</p>
      )}
      {answer.problem && <Notice tone="bad">{answer.problem}</Notice>}
      <div className="buttons end">
        <Button onClick={() => answer.run(false)}>Do not connect</Button>
        <Button variant="primary" submit busy={answer.busy}>
          Connect
        </Button>
      </div>
      <p className="muted">You can end this at any time on the tokens page.</p>
    </form>
  )
}
