import { useEffect, useState } from 'react'
import { Button } from '../components/button.tsx'
import { ChoiceField } from '../components/choice-field.tsx'
import { Form } from '../components/form.tsx'
import { TextField } from '../components/text-field.tsx'
import { Link, useSearchState } from '../router.tsx'
import { operatorTexts } from '../texts/operator.ts'
import { TotalsCard } from './totals-card.tsx'
import { type ListFilter, UserList } from './user-list.tsx'
import { UserView } from './user-view.tsx'

const words = operatorTexts.list

/** `query` is the beginning of an address, or a user's id, which shows that user. */
export function UsersSection({ maxCents }: { maxCents: number }) {
  const [query, setQuery] = useSearchState<string>('query', '')
  const isId = /^usr_\w+$/.test(query)
  return (
    <>
      {!query && <TotalsCard />}
      <UserSearch query={query} onFind={setQuery} />
      {isId ? (
        <UserView key={query} user={query} maxCents={maxCents} />
      ) : (
        <FilteredUsers query={query} maxCents={maxCents} />
      )}
    </>
  )
}

function UserSearch({ query, onFind }: { query: string; onFind: (query: string) => void }) {
  const [typed, setTyped] = useState(query)
  useEffect(() => setTyped(query), [query])
  return (
    <Form className="operator-find" onSubmit={() => onFind(typed.trim())}>
      <TextField label={words.label} type="search" maxLength={254} value={typed} onText={setTyped} />
      <Button submit variant="primary">
        {words.find}
      </Button>
      {query && <Link to="/operator">{words.all}</Link>}
    </Form>
  )
}

// safe because they are its own keys
const plans = Object.keys(words.plans) as (keyof typeof words.plans)[]
const states = Object.keys(words.states) as NonNullable<ListFilter['state']>[]

function FilteredUsers({ query, maxCents }: { query: string; maxCents: number }) {
  const [plan, setPlan] = useSearchState<string>('plan', 'any')
  const [state, setState] = useSearchState<string>('state', 'any')
  const filter: ListFilter = {
    prefix: query,
    plan: plans.find((known) => known === plan),
    state: states.find((known) => known === state),
  }
  return (
    <>
      <div className="operator-filters">
        <ChoiceField
          label={words.plan}
          value={filter.plan ?? 'any'}
          options={[['any', words.anyPlan], ...plans.map((each) => [each, words.plans[each]] as const)]}
          onChoice={setPlan}
        />
        <ChoiceField
          label={words.state}
          value={filter.state ?? 'any'}
          options={[['any', words.anyState], ...states.map((each) => [each, words.states[each]] as const)]}
          onChoice={setState}
        />
      </div>
      <UserList key={JSON.stringify(filter)} filter={filter} maxCents={maxCents} />
    </>
  )
}
