import { useEffect, useState } from 'react'
import type { welcomeTexts } from '../texts/welcome.ts'

type Sample = (typeof welcomeTexts)['sample']

/** Interval between lines, ms. */
const lineMs = 1_600

/** Shows a conversation line by line, or at once for users who prefer reduced motion. */
export function SampleConversation({ sample: { caption, lines } }: { sample: Sample }) {
  const [count, setCount] = useState(() =>
    window.matchMedia('(prefers-reduced-motion: reduce)').matches ? lines.length : 1,
  )
  useEffect(() => {
    if (count >= lines.length) return
    const timer = setTimeout(() => setCount(count + 1), lineMs)
    return () => clearTimeout(timer)
  }, [count, lines.length])
  return (
    <figure className="card sample">
      <figcaption className="muted">{caption}</figcaption>
      <ol>
        {lines.map(({ who, text }, index) => (
          <li key={text} className={`sample-${who}${index < count ? '' : ' coming'}`}>
            {text}
          </li>
        ))}
      </ol>
    </figure>
  )
}
