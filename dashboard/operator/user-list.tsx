import type { ListedUser } from '../../clients/typescript/operations.ts'
import { Button } from '../components/button.tsx'
import { Loading } from '../components/notice.tsx'
import { StatePill } from '../components/state-pill.tsx'
import { usePages } from '../data/cache.ts'
import { showBalance, showDay } from '../format.ts'
import { Link } from '../router.tsx'
import { operatorTexts } from '../texts/operator.ts'
import { UserView } from './user-view.tsx'

const words = operatorTexts.list

export interface ListFilter {
  prefix: string
  plan: ListedUser['plan'] | undefined
  state: 'awake' | 'failed' | 'suspended' | 'closing' | undefined
}

/** Users by address. A search for a whole address shows that user at once. */
export function UserList({ filter: { prefix, plan, state }, maxCents }: { filter: ListFilter; maxCents: number }) {
  const input = { ...(prefix && { prefix }), ...(plan && { plan }), ...(state && { state }) }
  const { items, pages, problem, reload, more, busy } = usePages('listUsers', 'users', input)
  if (!items) return <Loading problem={problem} retry={reload} />
  const [first] = items
  if (first && items.length === 1 && first.account.email === prefix.trim().toLowerCase())
    return <UserView user={first.account.id} maxCents={maxCents} />
  const incomplete = pages?.some(({ complete }) => !complete)
  return (
    <section aria-label={words.title}>
      {problem && <Loading problem={problem} retry={reload} />}
      {items.length === 0 && <p role="status">{prefix || plan || state ? words.noMatch : words.nobody}</p>}
      {items.length > 0 && (
        <ul className="card rows">
          {items.map((user) => (
            <UserRow key={user.account.id} user={user} />
          ))}
        </ul>
      )}
      {incomplete && <p className="muted">{words.incomplete}</p>}
      {more && (
        <p className="more">
          <Button busy={busy} onClick={more}>
            {words.more}
          </Button>
        </p>
      )}
    </section>
  )
}

const UserRow = ({
  user: { account, plan, trialEndsAt, suspended, eraseAt, machine, balanceMicros },
}: {
  user: ListedUser
}) => (
  <li className="row operator-user">
    <div className="row-text">
      <p className="row-name">
        <Link to={`/operator?query=${encodeURIComponent(account.id)}`}>{account.email}</Link>
      </p>
      <p className="muted">
        {plan === 'trial' && trialEndsAt ? words.trialUntil(showDay(trialEndsAt), trialEndsAt) : words.plans[plan]} ·{' '}
        {words.balance(showBalance(balanceMicros))} · {words.since(showDay(account.createdAt))}
      </p>
    </div>
    <p className="operator-states">
      {suspended && <span className="pill bad">{words.suspended}</span>}
      {eraseAt && <span className="pill bad">{words.erasedOn(showDay(eraseAt))}</span>}
      <StatePill state={machine} />
    </p>
  </li>
)
