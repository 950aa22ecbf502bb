import {
  type ClipboardEvent,
  type KeyboardEvent,
  type Ref,
  type RefObject,
  useCallback,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
} from 'react'
import type { InstanceStatus } from '../../clients/typescript/operations.ts'
import type { Attachment } from '../../domain/chat/attachment.ts'
import { maxTextCharacters } from '../../domain/chat/text-limits.ts'
import { useAccount } from '../account-state.tsx'
import { ClipIcon, SendIcon } from '../components/icons.tsx'
import { showCount } from '../format.ts'
import { reachable } from '../labels.ts'
import { texts } from '../texts/index.ts'
import { DraftList } from './draft-list.tsx'
import { attach, attachAgain, takeReady, useDrafts } from './drafts.ts'
import { useDrop } from './use-drop.ts'
import { useTextDraft } from './use-text-draft.ts'

export interface ComposerHandle {
  /** Appends text and attachments to the current message. */
  take(text: string, files: readonly Attachment[]): void
}

interface ComposerProps {
  conversation: string
  ref?: Ref<ComposerHandle>
  onSend: (text: string, attachments: Attachment[]) => void
}

/** Each conversation has its own instance. */
export function Composer({ conversation, onSend, ref }: ComposerProps) {
  const { status } = useAccount()
  const [text, setText] = useTextDraft(conversation)
  const field = useRef<HTMLTextAreaElement>(null)
  const { open, hint } = whatToWrite(status)
  const over = text.trim().length - maxTextCharacters
  const files = useDrafts(conversation)
  const take = useCallback((given: File[]) => attach(conversation, given), [conversation])
  const dropping = useDrop(open, take)
  const uploading = files.some(({ state }) => state === 'uploading')
  const empty = text.trim() === '' && !files.some(({ state }) => state === 'ready')
  const ready = open && !empty && !uploading && over <= 0

  useImperativeHandle(ref, () => ({
    take(more, again) {
      attachAgain(conversation, again)
      if (more !== '') setText(text.trim() === '' ? more : `${text.trimEnd()}\n${more}`)
      field.current?.focus()
    },
  }))
  useFieldHeight(field, text)

  const send = () => {
    if (!ready) return
    onSend(text.trim(), takeReady(conversation))
    setText('')
    field.current?.focus()
  }
  const key = (event: KeyboardEvent) => {
    // While an input method composes, Enter picks a candidate.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    // A phone's keyboard has no other key for a new line.
    if (isTouched() && !event.ctrlKey && !event.metaKey) return
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
      <AttachButton
        open={open}
        onFiles={(given) => {
          take(given)
          field.current?.focus()
        }}
      />
      <label htmlFor="message" className="visually-hidden">
        {texts.chat.composer.label}
      </label>
      <textarea
        ref={field}
        id="message"
        rows={1}
        value={text}
        placeholder={hint}
        dir="auto"
        enterKeyHint={isTouched() ? 'enter' : 'send'}
        disabled={!open}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={key}
        onPaste={paste}
        aria-describedby="message-keys"
        aria-invalid={over > 0}
      />
      <button type="submit" className="send" aria-label={texts.chat.composer.send} disabled={!ready}>
        <SendIcon />
      </button>
      <p id="message-keys" className="composer-foot">
        {footOf({ over, dropping, uploading, open })}
      </p>
    </form>
  )
}

/** Where the browser does not grow the field with its text. */
function useFieldHeight(field: RefObject<HTMLTextAreaElement | null>, text: string): void {
  useLayoutEffect(() => {
    if (!field.current || CSS.supports('field-sizing', 'content')) return
    field.current.style.height = 'auto'
    field.current.style.height = `${field.current.scrollHeight}px`
  }, [field, text])
}

function AttachButton({ open, onFiles }: { open: boolean; onFiles: (files: File[]) => void }) {
  const picker = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])])
          target.value = ''
        }}
      />
      <button
        type="button"
        className="clip"
        aria-label={texts.chat.composer.attach}
        disabled={!open}
        onClick={() => picker.current?.click()}
      >
        <ClipIcon />
      </button>
    </>
  )
}

const isTouched = (): boolean => window.matchMedia('(pointer: coarse)').matches

function whatToWrite(status: InstanceStatus | null): { open: boolean; hint: string } {
  const instance = status?.instance
  if (!instance) return { open: false, hint: texts.chat.composer.noInstance }
  if (!reachable(instance)) return { open: false, hint: texts.chat.composer.noPlan }
  return { open: true, hint: instance.state === 'paused' ? texts.chat.composer.paused : texts.chat.composer.ready }
}

function footOf(now: { over: number; dropping: boolean; uploading: boolean; open: boolean }) {
  if (now.over > 0) return texts.chat.composer.tooLong(showCount(now.over))
  if (now.dropping) return texts.chat.composer.drop
  if (now.uploading) return texts.chat.composer.uploading
  return now.open && (isTouched() ? texts.chat.composer.phoneKeys : texts.chat.composer.keys)
}
