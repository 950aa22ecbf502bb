import { type MouseEvent, type ReactNode, useCallback } from 'react'
import { navigate, usePathname, useSearch } from 'wouter/use-browser-location'
import { viewRoot } from '../domain/view-root.ts'
import { viewing } from './viewing.ts'

/** The prefix of all pages' paths: pages that show a user to an operator have addresses of their own. */
const root = viewing ? viewRoot : ''

/** The path of the page being shown, such as `/wallet`. */
export const usePath = (): string => usePathname().slice(root.length) || '/'

/** A parameter of the shown page's address; null where it has none of this name. */
export const useSearchParameter = (name: string): string | null => new URLSearchParams(useSearch()).get(name)

/**
 * A choice that lives in the address, such as a filter or a tab: Back takes it back, and a link shows it to others.
 * @param fallback what holds when the address does not say; the address does not say it then
 * @returns what holds, and what sets it: with `replace` (a text while it is typed) Back does not stop there
 */
export function useSearchState<T extends string>(
  name: string,
  fallback: T,
): [value: T, set: (value: T, how?: { replace: boolean }) => void] {
  // safe because callers treat what an address says as any text: one they do not know shows the fallback or nothing
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

/** Goes there in place of the shown page: Back does not come by it. @param path with its search, if any */
export const replace = (path: string): void => navigate(root + path, { replace: true })

/** True while the page shown was come to by Back or Forward: the browser scrolls it to where it was. */
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
  /** Called as it is followed. */
  onFollow?: () => void
  /** Called as it is pointed at or focused: what it leads to may be fetched. */
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

/** How the hosted checkout sent its visitor back; taken off the address, so that a reload does not say it again. */
export const checkoutOutcome = returned === 'success' || returned === 'canceled' ? returned : null
