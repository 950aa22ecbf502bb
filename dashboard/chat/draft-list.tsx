import { FileIcon, RemoveIcon } from '../components/icons.tsx'
import { showSize } from '../format.ts'
import { texts } from '../texts/index.ts'
import { type Draft, removeDraft } from './drafts.ts'

export const DraftList = ({ drafts }: { drafts: readonly Draft[] }) => (
  <>
    <p className="visually-hidden" role="status">
      {drafts.map(stateText).join(' ')}
    </p>
    {drafts.length > 0 && (
      <ul className="drafts" aria-label={texts.chat.files.toSend}>
        {drafts.map((draft) => (
          <DraftItem key={draft.key} draft={draft} />
        ))}
      </ul>
    )}
  </>
)

const DraftItem = ({ draft: { key, name, bytes, preview, state, done, problem } }: { draft: Draft }) => (
  <li className={`draft ${state}`}>
    {preview ? <img src={preview} alt="" aria-hidden="true" /> : <FileIcon />}
    <span className="draft-text">
      <span className="draft-name">{name}</span>
      <span className="draft-note">{problem ?? showSize(bytes)}</span>
      {state === 'uploading' && <progress value={done} max={1} aria-label={texts.chat.files.upload(name)} />}
    </span>
    <button
      type="button"
      className="draft-remove"
      aria-label={texts.chat.files.remove(name)}
      onClick={() => removeDraft(key)}
    >
      <RemoveIcon />
    </button>
  </li>
)

/** For screen readers. */
function stateText({ name, state, problem }: Draft): string {
  if (state === 'refused') return texts.chat.files.refused(name, problem ?? '')
  return state === 'ready' ? texts.chat.files.ready(name) : texts.chat.files.uploading(name)
}
