import { type FormEvent, useRef, useState } from 'react'
import type { MintedPat } from '../../clients/typescript/operations.ts'
import { scopeLabels } from '../../domain/scope-labels.ts'
import type { Scope } from '../../domain/scopes.ts'
import { spends } from '../../domain/spending-scope.ts'
import { berth } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { LifetimeField } from '../components/lifetime-field.tsx'
import { useAction } from '../components/use-action.ts'
import { DollarField, mostCapCents, problemOf, readCents } from '../wallet/dollar-field.tsx'
import { microsPerCent } from './cap.ts'

const bundles = {
  all: { label: 'All MCP tools', hint: 'Wallet, instance, personas and skills', scopes: ['mcp:*'] },
  read: {
    label: 'Read only',
    hint: 'Sees all of that, changes nothing',
    scopes: ['mcp:wallet.read', 'mcp:instance.read', 'mcp:personas.read', 'mcp:skills.read'],
  },
  llm: { label: 'Call models', hint: 'From your own programs, paid from the wallet', scopes: ['api:llm'] },
  own: { label: 'Choose', hint: 'Pick each permission', scopes: [] },
} as const satisfies Record<string, { label: string; hint: string; scopes: readonly Scope[] }>
type Bundle = keyof typeof bundles

// safe because these are records' own keys, and both records name every key
const allScopes = Object.keys(scopeLabels) as Scope[]
const allBundles = Object.keys(bundles) as Bundle[]

export function MintForm({ onMinted }: { onMinted: (token: MintedPat) => void }) {
  const [name, setName] = useState('')
  const [days, setDays] = useState(90)
  const [bundle, setBundle] = useState<Bundle>('all')
  const [own, setOwn] = useState<Scope[]>([])
  const [cap, setCap] = useState('5')
  const [missing, setMissing] = useState<{ name?: string; scopes?: string; cap?: string | undefined }>({})
  const nameField = useRef<HTMLInputElement>(null)

  const mint = useAction(async (scopes: Scope[]) => {
    const cents = scopes.some(spends) ? readCents(cap) : null
    const capped = cents === null ? {} : { capMicros: cents * microsPerCent }
    onMinted(await berth.mintToken({ name: name.trim(), scopes, expiresInDays: days, ...capped }))
  })
  const scopes: Scope[] = bundle === 'own' ? own : [...bundles[bundle].scopes]
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const badCap = scopes.some(spends) && cap.trim() !== '' ? problemOf(cap, 0, mostCapCents) : undefined
    const wrong = {
      ...(name.trim() === '' ? { name: 'Give the token a name, such as the tool that will use it.' } : {}),
      ...(scopes.length === 0 ? { scopes: 'Pick at least one permission.' } : {}),
      ...(badCap ? { cap: badCap } : {}),
    }
    setMissing(wrong)
    if (wrong.name) nameField.current?.focus()
    else if (!wrong.scopes && !badCap) mint.run(scopes)
  }
  const nameProblem = missing.name ?? mint.details.name?.[0]
  const scopeProblem = missing.scopes ?? mint.details.scopes?.[0]
  const otherProblem = mint.details.name || mint.details.scopes ? null : mint.problem
  return (
    <section className="card" aria-labelledby="mint-title">
      <h2 id="mint-title">New token</h2>
      <form onSubmit={submit} noValidate>
        <div className="fields">
          <div className="field">
            <label htmlFor="token-name">Name</label>
            <input
              ref={nameField}
              id="token-name"
              maxLength={100}
              autoComplete="off"
              placeholder="Laptop, Claude Code"
              value={name}
              onChange={(event) => setName(event.target.value)}
              aria-invalid={nameProblem !== undefined}
              aria-describedby="token-name-problem"
            />
            <p id="token-name-problem" className="field-problem" role="alert">
              {nameProblem}
            </p>
          </div>
          <LifetimeField id="token-days" label="Expires" days={days} onChange={setDays} />
        </div>
        <fieldset className="bundles">
          <legend>What it may do</legend>
          {allBundles.map((option) => (
            <label key={option} className="bundle">
              <input type="radio" name="bundle" checked={bundle === option} onChange={() => setBundle(option)} />
              <span>
                {bundles[option].label}
                <span className="muted">{bundles[option].hint}</span>
              </span>
            </label>
          ))}
        </fieldset>
        {bundle === 'own' && (
          <fieldset className="scopes">
            <legend className="visually-hidden">Permissions</legend>
            {allScopes.map((scope) => (
              <label key={scope}>
                <input
                  type="checkbox"
                  checked={own.includes(scope)}
                  onChange={(event) =>
                    setOwn(event.target.checked ? [...own, scope] : own.filter((other) => other !== scope))
                  }
                />
                <span>
                  {scopeLabels[scope]} <code>{scope}</code>
                </span>
              </label>
            ))}
          </fieldset>
        )}
        {scopes.some(spends) && (
          <DollarField
            id="token-cap"
            label="Most it may spend, in dollars"
            hint="In all, until it expires. Empty: as much as the wallet and its limits allow."
            value={cap}
            onChange={setCap}
            problem={missing.cap ?? mint.details.capMicros?.[0]}
          />
        )}
        <p className="field-problem" role="alert">
          {scopeProblem ?? otherProblem}
        </p>
        <Button variant="primary" submit busy={mint.busy}>
          Make token
        </Button>
      </form>
    </section>
  )
}
