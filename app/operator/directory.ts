import type { UserRecord } from '../../domain/account/user.ts'
import { invalid } from '../../domain/errors.ts'
import {
  isErased,
  isInState,
  type ListedPlan,
  type ListedState,
  type ListedUser,
  listedPlanOf,
  listedPlans,
  showListedUser,
} from '../../domain/operator/listed-user.ts'
import type { Users } from '../ports/account.ts'
import type { Directory } from '../ports/operator.ts'

type DirectoryPorts = { directory: Directory; users: Users }

interface Asked {
  /** The beginning of the address, in lower case. */
  prefix: string
  plan?: ListedPlan | undefined
  state?: ListedState | undefined
  /** The user to continue after. */
  after: string | null
  limit: number
}

interface Found {
  users: ListedUser[]
  next: string | null
  /** False if the state has more users than the list reads. */
  complete: boolean
}

/** In the order of the addresses. @throws validation when the user to continue after was erased */
export async function listUsers(deps: DirectoryPorts, asked: Asked): Promise<Found> {
  const after = asked.after === null ? null : await addressAfter(deps, asked.after)
  const { page, more, complete } = await (asked.state === undefined
    ? byAddress(deps, asked, after)
    : inState(deps, { ...asked, state: asked.state }, after))
  const entries = await deps.directory.entries(page)
  const shown = entries.filter((entry) => asked.state === undefined || isInState(entry, asked.state))
  return { users: shown.map(showListedUser), next: more ? (page.at(-1)?.id ?? null) : null, complete }
}

async function addressAfter({ users }: DirectoryPorts, userId: string): Promise<string> {
  const user = await users.find(userId)
  if (!user || isErased(user)) throw invalid('cursor', 'the list has changed; begin it again.')
  return user.email
}

async function byAddress({ directory }: DirectoryPorts, { prefix, plan, limit }: Asked, after: string | null) {
  const ids = await directory.byAddress({ plans: plan ? [plan] : listedPlans, prefix, after, limit: limit + 1 })
  const users = await directory.users(ids.slice(0, limit))
  return { page: inOrder(users), more: ids.length > limit, complete: true }
}

async function inState(
  { directory }: DirectoryPorts,
  { prefix, plan, limit, state }: Asked & { state: ListedState },
  after: string | null,
) {
  const { ids, more } = await directory.inState(state)
  const users = await directory.users(ids)
  const fitting = inOrder(users).filter(
    (user) =>
      user.email.startsWith(prefix) &&
      (plan === undefined || listedPlanOf(user) === plan) &&
      (after === null || user.email > after),
  )
  return { page: fitting.slice(0, limit), more: fitting.length > limit, complete: !more }
}

const inOrder = (users: readonly UserRecord[]): UserRecord[] =>
  users.filter((user) => !isErased(user)).sort((a, b) => (a.email < b.email ? -1 : 1))
