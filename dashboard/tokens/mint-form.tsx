import { type FormEvent, useRef, useState } from 'react'
import type { MintedPat } from '../../clients/typescript/operations.ts'
import { scopeLabels } from '../../domain/scope-labels.ts'
import type { Scope } from '../../domain/scopes.ts'
import { berth } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { useAction } from '../components/use-action.ts'
import { showDay } from '../format.ts'

const lifetimes = [7, 30, 90, 180, 365]
const dayMs = 86_400_000

const bundles = {
  all: { label: 'All MCP tools', hint: 'Wallet, instance, personas and skills', scopes: ['mcp:*'] },
  read: {
    label: 'Read only',
    hint: 'Sees all of that, changes nothing',
    scopes: ['mcp:wallet.read', 'mcp:instance.read', 'mcp:personas.read', 'mcp:skills.read'],
  },
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
  const [missing, setMissing] = useState<{ name?: string; scopes?: string }>({})
  const nameField = useRef<HTMLInputElement>(null)

  const mint = useAction(async (scopes: Scope[]) => {
    onMinted(await berth.mintToken({ name: name.trim(), scopes, expiresInDays: days }))
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const scopes: Scope[] = bundle === 'own' ? own : [...bundles[bundle].scopes]
    const wrong = {
      ...(name.trim() === '' ? { name: 'Give the token a name, such as the tool that will use it.' } : {}),
      ...(scopes.length === 0 ? { scopes: 'Pick at least one permission.' } : {}),
    }
    setMissing(wrong)
    if (wrong.name) nameField.current?.focus()
    else if (!wrong.scopes) mint.run(scopes)
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
          <div className="field">
            <label htmlFor="token-days">Expires</label>
            <select id="token-days" value={days} onChange={(event) => setDays(Number(event.target.value))}>
              {lifetimes.map((lifetime) => (
                <option key={lifetime} value={lifetime}>
                  in {lifetime} days ({showDay(new Date(Date.now() + lifetime * dayMs).toISOString())})
                </option>
              ))}
            </select>
          </div>
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
