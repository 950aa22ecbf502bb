import { texts } from '../texts/index.ts'
import { useCopy } from './use-copy.ts'

export function CopyButton({ text }: { text: string }) {
  const copy = useCopy(text)
  return (
    <>
      <button type="button" className="link-button" data-reads onClick={copy.run}>
        {copy.done ? texts.common.copied : texts.common.copy}
      </button>
      <span className="visually-hidden" role="status">
        {copy.done ? texts.common.copied : ''}
      </span>
    </>
  )
}
