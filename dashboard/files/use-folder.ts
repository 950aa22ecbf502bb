import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { cache } from '../api/cache.ts'
import { berth, errorText } from '../api/client.ts'
import { readFolder, retryConflicts } from '../api/operations.ts'
import { type Content, readContent } from './volume.ts'

/** One folder, page by page; read again after changes of the volume. */
export function useFolder(path: string, point: string | null) {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: [point ? 'listRestorePointFiles' : 'listFiles', { path, point }, 'pages'],
    queryFn: ({ pageParam: after }) => readFolder(path, point, after),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    retry: false,
  })
  return {
    entries: data?.pages.flatMap(({ entries }) => entries) ?? null,
    asOf: data?.pages[0]?.asOf ?? null,
    problem: error && errorText(error),
    reload: () => void refetch(),
    more: hasNextPage ? () => void fetchNextPage() : null,
    busy: isFetchingNextPage,
  }
}

/** Files and folders by a part of their name; an empty text reads nothing. */
export function useSearch(text: string) {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetching } = useInfiniteQuery({
    queryKey: ['searchFiles', { text }, 'pages'],
    queryFn: ({ pageParam: after }) => retryConflicts(() => berth.searchFiles({ text, ...(after && { after }) })),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    enabled: text !== '',
    retry: false,
  })
  return {
    entries: data?.pages.flatMap(({ entries }) => entries) ?? null,
    problem: error && errorText(error),
    reload: () => void refetch(),
    more: hasNextPage ? () => void fetchNextPage() : null,
    busy: isFetching,
  }
}

/** A null `path` reads nothing. Never read again by itself, so that no text changes while it is edited. */
export function useContent(path: string | null, point: string | null = null) {
  const queryKey = ['getFile', { path, point }]
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => readContent(path ?? '', point, signal),
    enabled: path !== null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  })
  const setContent = (next: Content) => void cache.setQueryData(queryKey, next)
  return { content: data ?? null, problem: error && errorText(error), reload: () => void refetch(), setContent }
}
