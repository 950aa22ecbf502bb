import { useState } from 'react'
import { useAccount } from '../account-state.tsx'
import { Button } from '../components/button.tsx'
import { Form } from '../components/form.tsx'
import { Notice } from '../components/notice.tsx'
import { shownName } from '../components/shown-name.ts'
import { TextField } from '../components/text-field.tsx'
import { useAction } from '../components/use-action.ts'
import { dropDrafts } from '../components/use-kept-draft.ts'
import { useRead } from '../data/cache.ts'
import { berth } from '../data/client.ts'
import { showDayTime } from '../format.ts'
import { filesTexts } from '../texts/files.ts'
import { texts } from '../texts/index.ts'
import { draftPlace } from './text-editor.tsx'
import { done, folderOf, nameOf } from './volume.ts'
import { WorkerNote } from './worker-note.tsx'

interface Props {
  path: string
  isFolder?: boolean
  /** Receives the new path, or the folder that the file was deleted from. */
  onMoved: (path: string, isGone?: boolean) => void
}

export function PathActions({ path, isFolder = false, onMoved }: Props) {
  const [asking, setAsking] = useState<'move' | 'remove' | null>(null)
  const toggle = (what: 'move' | 'remove') => setAsking(asking === what ? null : what)
  return (
    <>
      <Button onClick={() => toggle('move')}>{filesTexts.rename}</Button>
      <Button onClick={() => toggle('remove')}>{filesTexts.remove}</Button>
      {asking === 'move' && (
        <Move
          path={path}
          onMoved={(to) => {
            setAsking(null)
            onMoved(to)
          }}
        />
      )}
      {asking === 'remove' && (
        <Remove
          path={path}
          isFolder={isFolder}
          onCancel={() => setAsking(null)}
          onRemoved={() => onMoved(folderOf(path), true)}
        />
      )}
    </>
  )
}

function Move({ path, onMoved }: { path: string; onMoved: (to: string) => void }) {
  const [to, setTo] = useState(path)
  const move = useAction(async () => {
    await done(berth.moveFile({ from: path, to }))
    onMoved(to)
  })
  return (
    <Form className="inline-form" noValidate={false} onSubmit={move.run}>
      <WorkerNote busy={move.busy} />
      {move.problem && <Notice tone="bad">{move.problem}</Notice>}
      <TextField label={filesTexts.renameOf(shownName(nameOf(path)))} value={to} required dir="auto" onText={setTo} />
      <Button submit variant="primary" busy={move.busy} disabled={to === '' || to === path}>
        {filesTexts.rename}
      </Button>
    </Form>
  )
}

interface RemoveProps {
  path: string
  isFolder: boolean
  onCancel: () => void
  onRemoved: () => void
}

function Remove({ path, isFolder, onCancel, onRemoved }: RemoveProps) {
  const { account } = useAccount()
  const { data } = useRead('listRestorePoints')
  const newest = data?.restorePoints.find(({ state }) => state === 'ready')
  const remove = useAction(async () => {
    await done(berth.deleteFile({ path }))
    dropDrafts(account.id, draftPlace(path))
    onRemoved()
  })
  const t = filesTexts
  return (
    <div className="notice bad inline-form" role="alertdialog" aria-label={t.removeSure(shownName(nameOf(path)))}>
      <div className="notice-text">
        <p>
          {t.removeSure(shownName(nameOf(path)))} {isFolder && t.removeFolderHint}
        </p>
        {data && <p>{newest ? t.keptHint(showDayTime(newest.createdAt)) : t.notKeptHint}</p>}
        <WorkerNote busy={remove.busy} />
        {remove.problem && <p role="alert">{remove.problem}</p>}
      </div>
      <Button variant="danger" busy={remove.busy} onClick={() => remove.run()}>
        {t.remove}
      </Button>
      <Button onClick={onCancel}>{texts.common.cancel}</Button>
    </div>
  )
}
