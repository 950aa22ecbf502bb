import { useEffect, useRef, useState } from 'react'
import type { AuthorizationRequest } from '../../clients/typescript/operations.ts'
import type { Account } from '../../domain/account/user.ts'
import type { Scope } from '../../domain/scopes.ts'
import { spends } from '../../domain/spending-scope.ts'
import { Button } from '../components/button.tsx'
import { Form } from '../components/form.tsx'
import { Brand } from '../components/icons.tsx'
import { LifetimeField } from '../components/lifetime-field.tsx'
import { Loading, Notice, Problem } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { useRead } from '../data/cache.ts'
import { berth } from '../data/client.ts'
import { centMicros } from '../format.ts'
import { authorizeTexts as words } from '../texts/authorize.ts'
import { texts } from '../texts/index.ts'
import { ScopeList } from '../tokens/scope-list.tsx'
import { DollarField, mostCapCents, problemOf, readCents } from '../wallet/dollar-field.tsx'

/** Parameters that the server does not know are dropped. */
const query = new URLSearchParams(window.location.search)
const optional = ['response_type', 'code_challenge', 'code_challenge_method', 'scope', 'state', 'resource'] as const
const request = {
  client_id: query.get('client_id') ?? '',
  redirect_uri: query.get('redirect_uri') ?? '',
  ...Object.fromEntries(optional.flatMap((name) => (query.has(name) ? [[name, query.get(name) ?? '']] : []))),
}

/** Asks whether a program may act for the user. It receives nothing before they have chosen. */
export function AuthorizePage({ account }: { account: Account }) {
  const { data, problem, reload } = useRead('checkAuthorizationRequest', request)
  useEffect(() => {
    document.title = `${words.title} · Berth`
  }, [])
  return (
    <main className="sign-in">
      <Brand />
      <section className="card authorize-card">
        {data ? (
          <Consent request={data} account={account} />
        ) : problem ? (
          <>
            <h1>{words.refused}</h1>
            <Notice tone="bad" action={{ label: texts.common.tryAgain, run: reload }}>
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
  request: { client, redirectHost, scopes },
  account,
}: {
  request: AuthorizationRequest
  account: Account
}) {
  const [chosenScopes, setChosenScopes] = useState<Scope[]>(scopes)
  const [days, setDays] = useState(90)
  const [cap, setCap] = useState('5')
  const [wrong, setWrong] = useState<{ scopes?: string; cap?: string | undefined }>({})
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => title.current?.focus(), [])

  const answer = useAction(async (allow: boolean) => {
    const cents = chosenScopes.some(spends) ? readCents(cap) : null
    const choice = {
      scopes: chosenScopes,
      expiresInDays: days,
      ...(cents !== null && { capMicros: cents * centMicros }),
    }
    const { redirectTo } = await berth.answerAuthorizationRequest({
      ...request,
      allow,
      ...(allow && choice),
    })
    window.location.replace(redirectTo)
  })
  const submit = () => {
    const problems = {
      ...(chosenScopes.length === 0 && { scopes: words.noScope }),
      ...(chosenScopes.some(spends) && problemOf(cap, 0, mostCapCents) && { cap: problemOf(cap, 0, mostCapCents) }),
    }
    setWrong(problems)
    if (Object.keys(problems).length === 0) answer.run(true)
  }
  return (
    <Form onSubmit={submit}>
      <h1 ref={title} tabIndex={-1}>
        {words.asks(client.name)}
      </h1>
      <p>
        {client.host
          ? words.known(<strong>{client.host}</strong>, <strong>{account.email}</strong>)
          : words.unknown(client.name, <strong>{account.email}</strong>)}{' '}
        {words.answerTo(<strong>{redirectHost}</strong>)}
      </p>
      <ScopeList legend={words.may} options={scopes} chosen={chosenScopes} onChange={setChosenScopes} />
      <Problem text={wrong.scopes} />
      <LifetimeField label={words.lifetime} days={days} onChange={setDays} />
      {chosenScopes.some(spends) ? (
        <DollarField
          id="authorize-cap"
          label={words.cap}
          hint={words.capHint}
          value={cap}
          onChange={setCap}
          problem={wrong.cap}
        />
      ) : (
        <p className="muted">{words.spendsNothing}</p>
      )}
      {answer.problem && <Notice tone="bad">{answer.problem}</Notice>}
      <div className="buttons end">
        <Button onClick={() => answer.run(false)}>{words.decline}</Button>
        <Button variant="primary" submit busy={answer.busy}>
          {words.connect}
        </Button>
      </div>
      <p className="muted">{words.ends}</p>
    </Form>
  )
}
