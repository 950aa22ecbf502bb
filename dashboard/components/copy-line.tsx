import { useEffect, useId, useRef, useState } from 'react'
import { texts } from '../texts/index.ts'
import { CheckIcon, CopyIcon } from './icons.tsx'

interface CopyLineProps {
  label: string
  text: string
  large?: boolean
  onCopy?: () => void
}

/** A line with a button that copies it; without a clipboard the button selects the line. */
export function CopyLine({ label, text, large = false, onCopy }: CopyLineProps) {
  const [done, setDone] = useState<'copied' | 'selected' | null>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  const id = useId()

  useEffect(() => {
    if (!done) return
    const timer = setTimeout(() => setDone(null), 3_000)
    return () => clearTimeout(timer)
  }, [done])

  const copy = () => {
    onCopy?.()
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
        <textarea
          ref={field}
          id={id}
          readOnly
          rows={Math.max(text.split('\n').length, text.length > 60 ? 2 : 1)}
          value={text}
          spellCheck={false}
        />
        <button
          type="button"
          className="button plain"
          data-reads
          aria-label={texts.common.copyOf(label)}
          onClick={copy}
        >
          {done === 'copied' ? <CheckIcon /> : <CopyIcon />}
          <span>{done === 'copied' ? texts.common.copied : texts.common.copy}</span>
        </button>
      </div>
      <span role="status" className={done === 'selected' ? 'hint' : 'visually-hidden'}>
        {done === 'copied' ? texts.common.copiedOf(label) : done === 'selected' ? texts.common.selected : ''}
      </span>
    </div>
  )
}
