import { type ReactNode, useEffect, useState } from 'react'
import { texts } from '../texts/index.ts'
import { isDark } from '../theme.ts'
import { type Drawing, drawDiagram } from './diagram-frame.ts'

/** One at a time: each needs a frame of its own. */
let last: Promise<unknown> = Promise.resolve()

/** A Mermaid diagram as a picture, with its source folded. Only the source while it is drawn, or if the text is no diagram. */
export function Diagram({ text, children }: { text: string; children: ReactNode }) {
  const [drawing, setDrawing] = useState<Drawing | null>(null)
  useEffect(() => {
    let isGone = false
    let drawn: Drawing | null = null
    last = last
      .then(() => (isGone ? null : drawDiagram(text, isDark())))
      .then((made) => {
        drawn = made
        if (!isGone) setDrawing(made)
        else if (made) URL.revokeObjectURL(made.url)
      })
      .catch(() => {}) // Its text is there to be read.
    return () => {
      isGone = true
      if (drawn) URL.revokeObjectURL(drawn.url)
    }
  }, [text])
  if (!drawing) return children
  const kind = /^[\w-]{1,30}/m.exec(text)?.[0] ?? ''
  return (
    <>
      <img
        className="diagram"
        src={drawing.url}
        width={drawing.width}
        height={drawing.height}
        alt={texts.chat.markdown.diagram(kind)}
      />
      <details className="diagram-source">
        <summary>{texts.chat.markdown.source}</summary>
        {children}
      </details>
    </>
  )
}
