import { type MouseEvent, type ReactNode, useCallback } from 'react'
import { navigate, usePathname, useSearch } from 'wouter/use-browser-location'
import { viewRoot } from '../domain/view-root.ts'
import { viewing } from './viewing.ts'

/** Pages that show a user to an operator have this prefix. */
const root = viewing ? viewRoot : ''

const withoutRoot = (pathname: string): string => pathname.slice(root.length) || '/'

/** The path of the shown page, such as `/wallet`. */
export const usePath = (): string => withoutRoot(usePathname())

/** The same, outside a component. */
export const shownPath = (): string => withoutRoot(window.location.pathname)

/** Null if the address lacks it. */
export const useSearchParameter = (name: string): string | null => new URLSearchParams(useSearch()).get(name)

/**
 * A choice in the address, such as a filter or a tab, for Back and for links.
 * @param fallback the value that the address omits
 * @returns the value and its setter; with `replace` (while typing) Back does not stop there
 */
export function useSearchState<T extends string>(
  name: string,
  fallback: T,
): [value: T, set: (value: T, how?: { replace: boolean }) => void] {
  // safe because callers treat the value as any text: unknown ones show the fallback or nothing
  const value = (useSearchParameter(name) ?? fallback) as T
  const set = useCallback(
    (next: T, how = { replace: false }) => {
      const search = new URLSearchParams(window.location.search)
      if (next === fallback) search.delete(name)
      else search.set(name, next)
      navigate(`${window.location.pathname}${search.size > 0 ? `?${search}` : ''}`, how)
    },
    [name, fallback],
  )
  return [value, set]
}

/** @param path with its search, if any */
export const go = (path: string): void => navigate(root + path)

/** Replaces the shown page in the history. @param path with its search, if any */
export const replace = (path: string): void => navigate(root + path, { replace: true })

/** True after Back or Forward: the browser restores the scroll position. */
export const cameBack = (): boolean => returning
let returning = false
window.addEventListener('popstate', () => {
  returning = true
})
window.addEventListener('pushState', () => {
  returning = false
})

interface LinkProps {
  to: string
  className?: string
  label?: string
  current?: boolean
  onFollow?: () => void
  /** Called on hover or focus, to fetch the target in advance. */
  onNear?: () => void
  children: ReactNode
}

/** A link inside the dashboard; with a modifier key it behaves as any link. */
export function Link({ to, className, label, current, onFollow, onNear, children }: LinkProps) {
  const follow = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0) return
    event.preventDefault()
    onFollow?.()
    go(to)
  }
  return (
    <a
      href={root + to}
      className={className}
      aria-label={label}
      aria-current={current ? 'page' : undefined}
      onClick={follow}
      onPointerEnter={onNear}
      onFocus={onNear}
    >
      {children}
    </a>
  )
}

const returned = new URLSearchParams(window.location.search).get('checkout')
if (returned) window.history.replaceState(null, '', window.location.pathname)

/** The outcome of the hosted checkout, removed from the address so that a reload does not show it again. */
export const checkoutOutcome = returned === 'success' || returned === 'canceled' ? returned : null
