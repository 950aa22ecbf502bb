import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { InstanceStatus } from '../../clients/typescript/operations.ts'
import { maxTextCharacters } from '../../domain/chat/text-limits.ts'
import { useAccount } from '../account-state.tsx'
import { SendIcon } from '../components/icons.tsx'
import { reachable } from '../labels.ts'

/** By conversation. They survive a visit to another page; gone with the tab. */
const drafts = new Map<string, string>()

/** Where a message is written. It is another one for each conversation. */
export function Composer({ conversation, onSend }: { conversation: string; onSend: (text: string) => void }) {
  const { status } = useAccount()
  const [text, setText] = useState(drafts.get(conversation) ?? '')
  const field = useRef<HTMLTextAreaElement>(null)
  const { open, hint } = whatToWrite(status)
  const over = text.trim().length - maxTextCharacters

  useEffect(() => {
    drafts.set(conversation, text)
  }, [conversation, text])
  useLayoutEffect(() => {
    if (!field.current || CSS.supports('field-sizing', 'content')) return
    field.current.style.height = 'auto'
    field.current.style.height = `${field.current.scrollHeight}px`
  }, [text])

  const send = () => {
    if (!open || text.trim() === '' || over > 0) return
    onSend(text.trim())
    setText('')
    field.current?.focus()
  }
  const key = (event: KeyboardEvent) => {
    // While an input method composes, Enter picks a candidate.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <label htmlFor="message" className="visually-hidden">
        Message to your agent
      </label>
      <textarea
        ref={field}
        id="message"
        rows={1}
        value={text}
        placeholder={hint}
        disabled={!open}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={key}
        aria-describedby="message-keys"
        aria-invalid={over > 0}
      />
      <button type="submit" className="send" aria-label="Send" disabled={!open || text.trim() === '' || over > 0}>
        <SendIcon />
      </button>
      <p id="message-keys" className="composer-foot">
        {over > 0 ? `Too long by ${over} characters.` : open && 'Enter sends, Shift + Enter starts a new line.'}
      </p>
    </form>
  )
}

function whatToWrite(status: InstanceStatus | null): { open: boolean; hint: string } {
  const instance = status?.instance
  if (!instance) return { open: false, hint: 'Subscribe to start your agent' }
  if (!reachable(instance)) return { open: false, hint: 'Your agent has no plan that runs it' }
  if (instance.state === 'paused') return { open: true, hint: 'A message wakes your agent' }
  return { open: true, hint: 'Message your agent' }
}
