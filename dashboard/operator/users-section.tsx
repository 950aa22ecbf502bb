import { useState } from 'react'
import { useRead } from '../api/cache.ts'
import { Button } from '../components/button.tsx'
import { Form } from '../components/form.tsx'
import { Loading } from '../components/notice.tsx'
import { TextField } from '../components/text-field.tsx'
import { useSearchState } from '../router.tsx'
import { operatorTexts as words } from '../texts/operator.ts'
import { UserView } from './user-view.tsx'

export function UsersSection({ maxCents }: { maxCents: number }) {
  const [query, setQuery] = useSearchState<string>('query', '')
  const [typed, setTyped] = useState(query)
  const { data, problem, reload } = useRead('findUser', query === '' ? null : { query })
  const find = () => {
    if (typed.trim() === query) reload()
    setQuery(typed.trim())
  }
  return (
    <>
      <Form className="operator-find" noValidate={false} onSubmit={find}>
        <TextField label={words.users.label} type="search" required value={typed} onText={setTyped} />
        <Button submit variant="primary">
          {words.users.find}
        </Button>
      </Form>
      {query !== '' && !data && <Loading problem={problem} retry={reload} />}
      {data && !data.account && <p role="status">{words.users.nobody(query)}</p>}
      {data?.account && <UserView key={data.account.id} user={data.account.id} maxCents={maxCents} />}
    </>
  )
}
