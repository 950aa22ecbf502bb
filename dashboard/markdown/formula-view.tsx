import { useEffect, useRef } from 'react'
import { texts } from '../texts/index.ts'

/** Most expansions of macros in one formula, and the largest size in it, em. */
const bounds = { maxExpand: 200, maxSize: [20, 60] as [number, number] }

/** A formula; its source is shown until the code is loaded, and when the formula is invalid. */
export function FormulaView({ tex, raw, display }: { tex: string; raw: string; display: boolean }) {
  const place = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    let isCurrent = true
    import('temml').then(
      ({ default: temml }) => {
        const drawn = document.createElement('span')
        try {
          if (!isCurrent || !place.current) return
          temml.render(tex, drawn, { ...bounds, displayMode: display, throwOnError: true, trust: false })
          place.current.replaceChildren(...drawn.childNodes)
        } catch {
          // The source stays.
        }
      },
      () => {}, // It stays as it is written.
    )
    return () => {
      isCurrent = false
    }
  }, [tex, display])
  // React does not manage the drawn formula, so another formula gets another element.
  return (
    <span
      key={raw}
      className={display ? 'formula display' : 'formula'}
      role="math"
      aria-label={`${texts.chat.markdown.formula}: ${tex}`}
    >
      <span ref={place}>{raw.trim()}</span>
    </span>
  )
}
