import { useRef, useState } from 'react'
import type { MintedPat } from '../../clients/typescript/operations.ts'
import { readScopes } from '../../domain/mcp/tool-scopes.ts'
import { scopeLabels } from '../../domain/scope-labels.ts'
import type { Scope } from '../../domain/scopes.ts'
import { spends } from '../../domain/spending-scope.ts'
import { ActionForm } from '../components/form.tsx'
import { LifetimeField } from '../components/lifetime-field.tsx'
import { TextField } from '../components/text-field.tsx'
import { useAction } from '../components/use-action.ts'
import { berth } from '../data/client.ts'
import { tokenTexts } from '../texts/tokens.ts'
import { capProblems, readCaps } from './cap.ts'
import { CapFields } from './cap-fields.tsx'
import { ScopeList } from './scope-list.tsx'

const bundles = {
  all: ['mcp:*'],
  read: readScopes,
  llm: ['api:llm'],
  own: [],
} as const satisfies Record<string, readonly Scope[]>
type Bundle = keyof typeof bundles

// safe because these are records' own keys, and both records name every key
const allScopes = Object.keys(scopeLabels) as Scope[]
const allBundles = Object.keys(bundles) as Bundle[]

export function MintForm({ onMinted }: { onMinted: (token: MintedPat) => void }) {
  const words = tokenTexts.mint
  const [name, setName] = useState('')
  const [days, setDays] = useState(90)
  const [bundle, setBundle] = useState<Bundle>('all')
  const [own, setOwn] = useState<Scope[]>([])
  const [caps, setCaps] = useState({ total: '5', day: '', month: '' })
  const [missing, setMissing] = useState<{ name?: string; scopes?: string; caps?: ReturnType<typeof capProblems> }>({})
  const nameField = useRef<HTMLInputElement>(null)

  const mint = useAction(async (scopes: Scope[]) => {
    const set = Object.entries(readCaps(caps)).filter(([, micros]) => micros !== null)
    const capped = scopes.some(spends) ? Object.fromEntries(set) : {}
    onMinted(await berth.mintToken({ name: name.trim(), scopes, expiresInDays: days, ...capped }))
  })
  const scopes: Scope[] = bundle === 'own' ? own : [...bundles[bundle]]
  const submit = () => {
    const badCaps = scopes.some(spends) ? capProblems(caps) : {}
    const wrong = {
      ...(name.trim() === '' ? { name: words.noName } : {}),
      ...(scopes.length === 0 ? { scopes: words.noScope } : {}),
      caps: badCaps,
    }
    setMissing(wrong)
    if (wrong.name) nameField.current?.focus()
    else if (!wrong.scopes && Object.keys(badCaps).length === 0) mint.run(scopes)
  }
  const nameProblem = missing.name ?? mint.details.name?.[0]
  const scopeProblem = missing.scopes ?? mint.details.scopes?.[0]
  const otherProblem = mint.details.name || mint.details.scopes ? null : mint.problem
  return (
    <section className="card" aria-labelledby="mint-title">
      <h2 id="mint-title">{words.title}</h2>
      <ActionForm
        action={{ busy: mint.busy, problem: scopeProblem ?? otherProblem }}
        button={words.make}
        onSubmit={submit}
      >
        <div className="fields">
          <TextField
            label={words.name}
            ref={nameField}
            maxLength={100}
            autoComplete="off"
            placeholder={words.placeholder}
            value={name}
            onText={setName}
            problem={nameProblem ?? null}
          />
          <LifetimeField label={words.expires} days={days} onChange={setDays} />
        </div>
        <fieldset className="bundles">
          <legend>{words.mayDo}</legend>
          {allBundles.map((option) => (
            <label key={option} className="bundle">
              <input type="radio" name="bundle" checked={bundle === option} onChange={() => setBundle(option)} />
              <span>
                {words.bundles[option].label}
                <span className="muted">{words.bundles[option].hint}</span>
              </span>
            </label>
          ))}
        </fieldset>
        {bundle === 'own' && (
          <ScopeList
            legend={<span className="visually-hidden">{words.permissions}</span>}
            options={allScopes}
            chosen={own}
            onChange={setOwn}
          />
        )}
        {scopes.some(spends) && (
          <CapFields id="token-cap" caps={caps} onChange={setCaps} problems={missing.caps ?? {}} />
        )}
      </ActionForm>
    </section>
  )
}
