import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { cache, paging } from '../data/cache.ts'
import { berth, errorText } from '../data/client.ts'
import { readFolder, retryConflicts } from '../data/operations.ts'
import { type Content, readContent } from './volume.ts'

/** One folder, page by page; read again after changes of the volume. */
export function useFolder(path: string, point: string | null) {
  const query = useInfiniteQuery({
    queryKey: [point ? 'listRestorePointFiles' : 'listFiles', { path, point }, 'pages'],
    queryFn: ({ pageParam: after }) => readFolder(path, point, after),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    retry: false,
  })
  const pages = query.data?.pages
  return {
    entries: pages?.flatMap(({ entries }) => entries) ?? null,
    asOf: pages?.[0]?.asOf ?? null,
    ...paging(query),
  }
}

/** Files and folders by a part of their name; an empty text reads nothing. */
export function useSearch(text: string) {
  const query = useInfiniteQuery({
    queryKey: ['searchFiles', { text }, 'pages'],
    queryFn: ({ pageParam: after }) => retryConflicts(() => berth.searchFiles({ text, ...(after && { after }) })),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    enabled: text !== '',
    retry: false,
  })
  const entries = query.data?.pages.flatMap(({ entries }) => entries) ?? null
  return { entries, ...paging(query), busy: query.isFetching }
}

/** Never read again by itself, so that no text changes while it is edited. */
export function useContent(path: string) {
  const queryKey = ['getFile', { path }]
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => readContent(path, null, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  })
  const setContent = (next: Content) => void cache.setQueryData(queryKey, next)
  return { content: data ?? null, problem: error && errorText(error), reload: () => void refetch(), setContent }
}
