import { QueryClient, type UseInfiniteQueryResult, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import { BerthError, type RequestOptions } from '../../clients/typescript/client.ts'
import type { addresses, Operations } from '../../clients/typescript/operations.ts'
import { berth, errorText } from './client.ts'

/** Operations that change nothing; one takes its input in a body. */
export type ReadName =
  | { [N in keyof Operations]: (typeof addresses)[N][0] extends 'GET' ? N : never }[keyof Operations]
  | 'checkAuthorizationRequest'

type Input<N extends ReadName> = Operations[N]['input']
type Output<N extends ReadName> = Operations[N]['output']

/** Paged reads, and the names of their lists. */
type PagedName = {
  [N in ReadName]: Output<N> extends { nextCursor: string | null } ? N : never
}[ReadName]
type ListOf<N extends PagedName> = {
  [K in keyof Output<N>]: Output<N>[K] extends readonly unknown[] ? K : never
}[keyof Output<N>]
type ItemOf<N extends PagedName, K extends ListOf<N>> = Output<N>[K] extends readonly (infer Item)[] ? Item : never

/** How long an answer stays fresh without an event, ms. */
const freshMs = 10_000

const isPassing = (thrown: unknown) =>
  thrown instanceof BerthError &&
  (thrown.code === 'unreachable' || thrown.code === 'rate-limited' || thrown.status > 500)

export const cache = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: freshMs,
      // The service may run on this machine, so ask it even when the browser is offline.
      networkMode: 'always',
      retry: (failures, thrown) => failures < 3 && isPassing(thrown),
      retryDelay: (failures, thrown) =>
        thrown instanceof BerthError && thrown.retryAfterSeconds !== undefined
          ? thrown.retryAfterSeconds * 1_000
          : 1_000 * 2 ** failures,
    },
  },
})

const send = <N extends ReadName>(name: N, input: object, options: RequestOptions): Promise<Output<N>> => {
  // safe because every operation of the client takes its input and these options
  const operation = berth[name] as (input: object, options: RequestOptions) => Promise<Output<N>>
  return operation(input, options)
}

type Given<N extends ReadName> =
  Record<never, never> extends Input<N> ? [input?: Input<N> | null] : [input: Input<N> | null]

/**
 * An operation's answer, from the cache while it is fresh. Null `input` reads nothing.
 * `problem` is the message of the last failed try; older data stays.
 */
export function useRead<N extends ReadName>(name: N, ...[input]: Given<N>) {
  const { data, error, refetch } = useQuery({
    queryKey: [name, input ?? {}],
    queryFn: ({ signal }) => send(name, input ?? {}, { signal }),
    enabled: input !== null,
  })
  const reload = useCallback(() => void refetch(), [refetch])
  const setData = (next: Output<N>) => setRead(name, input ?? {}, () => next)
  return { data: data ?? null, setData, error, problem: error && errorText(error), reload }
}

/** A paged list; `more` reads the next page, null at the end. Null `input` reads nothing. */
export function usePages<N extends PagedName, K extends ListOf<N>>(
  name: N,
  list: K,
  input: Omit<Input<N>, 'cursor'> | null,
) {
  const query = useInfiniteQuery({
    queryKey: [name, input ?? {}, 'pages'],
    queryFn: ({ signal, pageParam: cursor }) => send(name, { ...input, ...(cursor && { cursor }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: (page: Output<N>) => page.nextCursor,
    enabled: input !== null,
  })
  // safe because `list` names a list of this operation's answer
  const items = query.data ? (query.data.pages.flatMap((page) => page[list]) as ItemOf<N, K>[]) : null
  return { items, pages: query.data?.pages ?? null, ...paging(query) }
}

type PagedQuery = Pick<
  UseInfiniteQueryResult,
  'error' | 'refetch' | 'hasNextPage' | 'fetchNextPage' | 'isFetchingNextPage'
>

export const paging = ({ error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage }: PagedQuery) => ({
  problem: error && errorText(error),
  reload: () => void refetch(),
  more: hasNextPage ? () => void fetchNextPage() : null,
  busy: isFetchingNextPage,
})

/** Marks answers as stale: shown ones are read again now, others when they are shown. */
export function refresh(...names: ReadName[]): void {
  const stale: ReadonlySet<unknown> = new Set(names)
  void cache.invalidateQueries({ predicate: ({ queryKey: [name] }) => stale.has(name) })
}

/** Changes a cached answer from another answer, and cancels reads under way, which would be older. */
export function setRead<N extends ReadName>(name: N, input: object, change: (before: Output<N>) => Output<N>): void {
  const queryKey = [name, input]
  void cache.cancelQueries({ queryKey })
  cache.setQueryData<Output<N>>(queryKey, (before) => (before === undefined ? undefined : change(before)))
}
