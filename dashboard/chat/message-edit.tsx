import { type KeyboardEvent, useEffect, useId, useRef } from 'react'
import { maxTextCharacters } from '../../domain/chat/text-limits.ts'
import { Button } from '../components/button.tsx'
import { Form } from '../components/form.tsx'
import { showCount } from '../format.ts'
import { texts } from '../texts/index.ts'

export interface Editing {
  text: string
  /** A message with files needs no text. */
  mayBeEmpty: boolean
  onText: (text: string) => void
  onSend: () => void
  onCancel: () => void
}

/** In place of a user's message: its text, which is sent as a new version. */
export function MessageEdit({ text, mayBeEmpty, onText, onSend, onCancel }: Editing) {
  const field = useRef<HTMLTextAreaElement>(null)
  const note = useId()
  const over = text.trim().length - maxTextCharacters
  const isReady = over <= 0 && (mayBeEmpty || text.trim() !== '')
  useEffect(() => {
    const at = field.current
    at?.focus({ preventScroll: true })
    at?.setSelectionRange(at.value.length, at.value.length)
  }, [])
  const key = (event: KeyboardEvent) => {
    // While an input method composes, its keys are its own.
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape') onCancel()
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && isReady) onSend()
  }
  return (
    <Form className="message-edit" onSubmit={() => isReady && onSend()}>
      <textarea
        ref={field}
        value={text}
        rows={2}
        dir="auto"
        aria-label={texts.chat.editLabel}
        aria-describedby={note}
        aria-invalid={over > 0}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={key}
      />
      <p id={note} className="muted">
        {over > 0 ? texts.chat.composer.tooLong(showCount(over)) : texts.chat.editNote}
      </p>
      <div className="buttons">
        <Button onClick={onCancel}>{texts.chat.editCancel}</Button>
        <Button submit variant="primary" disabled={!isReady}>
          {texts.chat.editSend}
        </Button>
      </div>
    </Form>
  )
}
