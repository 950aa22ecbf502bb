import { createContext, type MouseEvent, type ReactNode, useContext } from 'react'
import { texts } from '../texts/index.ts'

/** The prefix that makes the ids of one text unique. */
export const TextId = createContext('')

function goTo(event: MouseEvent, id: string): void {
  event.preventDefault()
  const target = document.getElementById(id)
  target?.scrollIntoView({ block: 'nearest' })
  target?.focus()
}

export function FootnoteMark({ name }: { name: string }) {
  const text = useContext(TextId)
  const target = `${text}-note-${name}`
  return (
    <sup>
      <a href={`#${target}`} aria-label={texts.chat.markdown.footnote(name)} onClick={(event) => goTo(event, target)}>
        {name}
      </a>
    </sup>
  )
}

export function FootnoteText({ name, children }: { name: string; children: ReactNode }) {
  const text = useContext(TextId)
  return (
    <p className="footnote" dir="auto" id={`${text}-note-${name}`} tabIndex={-1}>
      <sup>{name}</sup> {children}
    </p>
  )
}
