import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { Form } from '../components/form.tsx'
import { Notice } from '../components/notice.tsx'
import { TextField } from '../components/text-field.tsx'
import { useAction } from '../components/use-action.ts'
import { berth } from '../data/client.ts'
import { filesTexts } from '../texts/files.ts'
import { PathActions } from './path-actions.tsx'
import { Uploads } from './uploads.tsx'
import { done, inFolder, writeContent } from './volume.ts'
import { WorkerNote } from './worker-note.tsx'

interface Props {
  path: string
  onFolder: (path: string) => void
  onFile: (path: string) => void
}

export function FolderActions({ path, onFolder, onFile }: Props) {
  const [making, setMaking] = useState<'file' | 'folder' | null>(null)
  const t = filesTexts
  return (
    <>
      <Uploads key={path} folder={path}>
        <Button onClick={() => setMaking(making === 'file' ? null : 'file')}>{t.newFile}</Button>
        <Button onClick={() => setMaking(making === 'folder' ? null : 'folder')}>{t.newFolder}</Button>
        {/* The folders at the top are the agent's own. */}
        {path.includes('/') && <PathActions path={path} isFolder onMoved={onFolder} />}
      </Uploads>
      {making && (
        <NewEntry
          key={making}
          folder={path}
          kind={making}
          onMade={(made) => {
            setMaking(null)
            if (making === 'file') onFile(made)
          }}
        />
      )}
    </>
  )
}

function NewEntry({
  folder,
  kind,
  onMade,
}: {
  folder: string
  kind: 'file' | 'folder'
  onMade: (path: string) => void
}) {
  const [name, setName] = useState('')
  const make = useAction(async () => {
    const path = inFolder(folder, name)
    if (kind === 'folder') await done(berth.createFolder({ path }))
    else await writeContent(path, new Uint8Array(), 'nothing')
    onMade(path)
  })
  return (
    <Form className="inline-form" noValidate={false} onSubmit={make.run}>
      <WorkerNote busy={make.busy} />
      {make.problem && <Notice tone="bad">{make.problem}</Notice>}
      <TextField label={filesTexts.name} value={name} required maxLength={255} dir="auto" onText={setName} />
      <Button submit variant="primary" busy={make.busy} disabled={name === ''}>
        {filesTexts.create}
      </Button>
    </Form>
  )
}
