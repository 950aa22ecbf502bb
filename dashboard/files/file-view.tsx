import { useState } from 'react'
import { useAccount } from '../account-state.tsx'
import { Boundary } from '../components/boundary.tsx'
import { Button } from '../components/button.tsx'
import { Loading, Notice } from '../components/notice.tsx'
import { shownName } from '../components/shown-name.ts'
import { hasDraft } from '../components/use-kept-draft.ts'
import { filePath } from '../data/operations.ts'
import { showSize } from '../format.ts'
import { filesTexts } from '../texts/files.ts'
import { texts } from '../texts/index.ts'
import { PathActions } from './path-actions.tsx'
import { Preview } from './preview.tsx'
import { draftPlace, TextEditor } from './text-editor.tsx'
import { useContent } from './use-folder.ts'
import { nameOf, textOf } from './volume.ts'

/** Longer texts cannot be edited here, bytes. */
const maxEdited = 1_000_000

export function FileView({ path, onShow }: { path: string; onShow: (path: string | null) => void }) {
  const { content, problem, reload, setContent } = useContent(path)
  const { account } = useAccount()
  const [isEdited, setIsEdited] = useState(() => hasDraft(account.id, draftPlace(path)))
  const [saved, setSaved] = useState(false)
  const t = filesTexts
  const text = content && content.bytes.length <= maxEdited ? textOf(content.bytes) : null
  return (
    <section className="card file-view" aria-labelledby="file-title">
      <div className="card-head">
        <h2 id="file-title">
          <bdi>{shownName(nameOf(path))}</bdi>
        </h2>
        <Button onClick={() => onShow(null)}>{texts.common.close}</Button>
      </div>
      {content && <p className="muted">{showSize(content.bytes.length)}</p>}
      <div className="buttons">
        {text !== null && !isEdited && (
          <Button
            variant="primary"
            onClick={() => {
              setSaved(false)
              setIsEdited(true)
            }}
          >
            {t.edit}
          </Button>
        )}
        <a className="button plain" href={filePath(path, null)} download>
          {t.download}
        </a>
        <PathActions path={path} onMoved={(to, isGone) => onShow(isGone ? null : to)} />
      </div>
      {saved && <Notice tone="good">{t.saved}</Notice>}
      {!content && <Loading problem={problem} retry={reload} />}
      {content && isEdited && (
        <TextEditor
          path={path}
          text={text ?? ''}
          base={content.sha256}
          onClosed={(written) => {
            setIsEdited(false)
            setSaved(written !== null)
            if (written) setContent(written)
            else reload()
          }}
        />
      )}
      {content && !isEdited && (
        <Boundary key={content.sha256}>
          <Preview name={nameOf(path)} bytes={content.bytes} />
        </Boundary>
      )}
    </section>
  )
}
