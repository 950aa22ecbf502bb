import { useEffect, useId, useRef, useState } from 'react'
import { CheckIcon, CopyIcon } from './icons.tsx'

/** A line to copy and paste elsewhere, with its button. Without a clipboard the line is selected instead. */
export function CopyLine({ label, text, large = false }: { label: string; text: string; large?: boolean }) {
  const [done, setDone] = useState<'copied' | 'selected' | null>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  const id = useId()

  useEffect(() => {
    if (!done) return
    const timer = setTimeout(() => setDone(null), 3_000)
    return () => clearTimeout(timer)
  }, [done])

  const copy = () => {
    const select = () => {
      field.current?.select()
      setDone('selected')
    }
    if (!navigator.clipboard) select()
    else navigator.clipboard.writeText(text).then(() => setDone('copied'), select)
  }
  return (
    <div className={large ? 'copy-field large' : 'copy-field'}>
      <label htmlFor={id}>{label}</label>
      <div className="copy-line">
        <textarea ref={field} id={id} readOnly rows={text.length > 60 ? 2 : 1} value={text} spellCheck={false} />
        <button type="button" className="button plain" aria-label={`Copy ${label.toLowerCase()}`} onClick={copy}>
          {done === 'copied' ? <CheckIcon /> : <CopyIcon />}
          <span>{done === 'copied' ? 'Copied' : 'Copy'}</span>
        </button>
      </div>
      <span role="status" className={done === 'selected' ? 'hint' : 'visually-hidden'}>
        {done === 'copied' ? `${label} copied` : done === 'selected' ? 'Selected: copy it with your keyboard.' : ''}
      </span>
    </div>
  )
}
