import {
  type ClipboardEvent,
  type KeyboardEvent,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import type { InstanceStatus } from '../../clients/typescript/operations.ts'
import type { Attachment } from '../../domain/chat/attachment.ts'
import { maxTextCharacters } from '../../domain/chat/text-limits.ts'
import { useAccount } from '../account-state.tsx'
import { ClipIcon, SendIcon } from '../components/icons.tsx'
import { reachable } from '../labels.ts'
import { DraftList } from './draft-list.tsx'
import { attach, takeReady, useDrafts } from './drafts.ts'
import { useDrop } from './use-drop.ts'

/** By conversation. They survive a visit to another page; gone with the tab. */
const drafts = new Map<string, string>()

interface ComposerProps {
  conversation: string
  onSend: (text: string, attachments: Attachment[]) => void
}

/** Where a message is written. It is another one for each conversation. */
export function Composer({ conversation, onSend }: ComposerProps) {
  const { status } = useAccount()
  const [text, setText] = useState(drafts.get(conversation) ?? '')
  const field = useRef<HTMLTextAreaElement>(null)
  const { open, hint } = whatToWrite(status)
  const over = text.trim().length - maxTextCharacters
  const picker = useRef<HTMLInputElement>(null)
  const files = useDrafts(conversation)
  const take = useCallback((given: File[]) => attach(conversation, given), [conversation])
  const dropping = useDrop(open, take)
  const uploading = files.some(({ state }) => state === 'uploading')
  const empty = text.trim() === '' && !files.some(({ state }) => state === 'ready')
  const ready = open && !empty && !uploading && over <= 0

  useEffect(() => {
    drafts.set(conversation, text)
  }, [conversation, text])
  useLayoutEffect(() => {
    if (!field.current || CSS.supports('field-sizing', 'content')) return
    field.current.style.height = 'auto'
    field.current.style.height = `${field.current.scrollHeight}px`
  }, [text])

  const send = () => {
    if (!ready) return
    onSend(text.trim(), takeReady(conversation))
    setText('')
    field.current?.focus()
  }
  const key = (event: KeyboardEvent) => {
    // While an input method composes, Enter picks a candidate.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }
  const paste = (event: ClipboardEvent) => {
    const { files } = event.clipboardData
    if (files.length === 0) return
    event.preventDefault()
    take([...files])
  }
  return (
    <form
      className={dropping ? 'composer dropping' : 'composer'}
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <DraftList drafts={files} />
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          take([...(event.target.files ?? [])])
          event.target.value = ''
          field.current?.focus()
        }}
      />
      <button
        type="button"
        className="clip"
        aria-label="Attach files"
        disabled={!open}
        onClick={() => picker.current?.click()}
      >
        <ClipIcon />
      </button>
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
        onPaste={paste}
        aria-describedby="message-keys"
        aria-invalid={over > 0}
      />
      <button type="submit" className="send" aria-label="Send" disabled={!ready}>
        <SendIcon />
      </button>
      <p id="message-keys" className="composer-foot">
        {footOf({ over, dropping, uploading, open })}
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

function footOf(now: { over: number; dropping: boolean; uploading: boolean; open: boolean }) {
  if (now.over > 0) return `Too long by ${now.over} characters.`
  if (now.dropping) return 'Drop files here to attach them.'
  if (now.uploading) return 'You can send it once the files are uploaded.'
  return now.open && 'Enter sends, Shift + Enter starts a new line. Files can be dropped or pasted.'
}
