import { type MouseEvent, type ReactNode, useSyncExternalStore } from 'react'

const moved = new EventTarget()

const subscribe = (listener: () => void) => {
  window.addEventListener('popstate', listener)
  moved.addEventListener('moved', listener)
  return () => {
    window.removeEventListener('popstate', listener)
    moved.removeEventListener('moved', listener)
  }
}

/** The path of the page being shown, such as `/wallet`. */
export const usePath = (): string => useSyncExternalStore(subscribe, () => window.location.pathname)

/** A parameter of the shown page's address; null where it has none of this name. */
export const useSearchParameter = (name: string): string | null =>
  useSyncExternalStore(subscribe, () => new URLSearchParams(window.location.search).get(name))

/** @param path with its search, if any */
export function go(path: string): void {
  window.history.pushState(null, '', path)
  moved.dispatchEvent(new Event('moved'))
}

interface LinkProps {
  to: string
  className?: string
  label?: string
  current?: boolean
  /** Called as it is followed. */
  onFollow?: () => void
  children: ReactNode
}

/** A link inside the dashboard; with a modifier key it behaves as any link. */
export function Link({ to, className, label, current, onFollow, children }: LinkProps) {
  const follow = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0) return
    event.preventDefault()
    onFollow?.()
    go(to)
  }
  return (
    <a href={to} className={className} aria-label={label} aria-current={current ? 'page' : undefined} onClick={follow}>
      {children}
    </a>
  )
}

const returned = new URLSearchParams(window.location.search).get('checkout')
if (returned) window.history.replaceState(null, '', window.location.pathname)

/** How the hosted checkout sent its visitor back; taken off the address, so that a reload does not say it again. */
export const checkoutOutcome = returned === 'success' || returned === 'canceled' ? returned : null
