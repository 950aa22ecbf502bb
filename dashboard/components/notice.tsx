import type { ReactNode } from 'react'
import { texts } from '../texts/index.ts'

interface NoticeProps {
  tone: 'good' | 'bad' | 'info'
  children: ReactNode
  action?: { label: string; run: () => void }
  onClose?: () => void
}

/** Bad news interrupts a screen reader, other news waits. */
export const Notice = ({ tone, children, action, onClose }: NoticeProps) => (
  <div className={`notice ${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
    <div className="notice-text">{children}</div>
    {action && (
      <button type="button" className="link-button" data-reads onClick={action.run}>
        {action.label}
      </button>
    )}
    {onClose && (
      <button type="button" className="close" aria-label={texts.common.dismiss} onClick={onClose}>
        ×
      </button>
    )}
  </div>
)

/** Why an action failed or a field is invalid. Takes no room without a text. */
export const Problem = ({ id, text }: { id?: string; text: ReactNode }) => (
  <p id={id} className="field-problem" role="alert">
    {text}
  </p>
)

/** Stands for a list or page that is loading or failed to load. */
export function Loading({ problem, retry }: { problem: string | null; retry: () => void }) {
  if (problem) {
    return (
      <Notice tone="bad" action={{ label: texts.common.tryAgain, run: retry }}>
        {problem}
      </Notice>
    )
  }
  return (
    <p className="loading muted" role="status">
      <span className="spinner" aria-hidden="true" /> {texts.common.loading}
    </p>
  )
}
