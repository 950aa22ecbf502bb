import { type FormEvent, useState } from 'react'
import { useRead } from '../api/cache.ts'
import { Button } from '../components/button.tsx'
import { Loading } from '../components/notice.tsx'
import { useSearchState } from '../router.tsx'
import { operatorTexts as words } from '../texts/operator.ts'
import { UserView } from './user-view.tsx'

export function UsersSection({ maxCents }: { maxCents: number }) {
  const [query, setQuery] = useSearchState<string>('query', '')
  const [typed, setTyped] = useState(query)
  const { data, problem, reload } = useRead('findUser', query === '' ? null : { query })
  const find = (event: FormEvent) => {
    event.preventDefault()
    if (typed.trim() === query) reload()
    setQuery(typed.trim())
  }
  return (
    <>
      <form className="operator-find" onSubmit={find}>
        <div className="field">
          <label htmlFor="query">{words.users.label}</label>
          <input id="query" type="search" required value={typed} onChange={(event) => setTyped(event.target.value)} />
        </div>
        <Button submit variant="primary">
          {words.users.find}
        </Button>
      </form>
      {query !== '' && !data && <Loading problem={problem} retry={reload} />}
      {data && !data.account && <p role="status">{words.users.nobody(query)}</p>}
      {data?.account && <UserView key={data.account.id} user={data.account.id} maxCents={maxCents} />}
    </>
  )
}
