import { useLayoutEffect, useRef } from 'react'

/** Disables all controls, also later ones, except `data-reads`. @param reasonId the element that says why */
export function useReadOnly(reason: string, reasonId: string) {
  const root = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const { current } = root
    if (!current) return
    const disable = () => {
      for (const control of current.querySelectorAll<HTMLButtonElement>('button, input, select, textarea')) {
        if (control.disabled || control.closest('[data-reads]')) continue
        control.disabled = true
        control.title = reason
        control.setAttribute('aria-describedby', reasonId)
      }
    }
    disable()
    const observer = new MutationObserver(disable)
    observer.observe(current, { childList: true, subtree: true, attributes: true, attributeFilter: ['disabled'] })
    return () => observer.disconnect()
  }, [reason, reasonId])
  return root
}
