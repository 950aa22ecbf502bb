import { type DragEvent, type ReactNode, useRef, useState } from 'react'
import { BerthError } from '../../clients/typescript/client.ts'
import { maxAttachmentBytes } from '../../domain/chat/attachment-limits.ts'
import { Button } from '../components/button.tsx'
import { shownName } from '../components/shown-name.ts'
import { errorText } from '../data/client.ts'
import { UploadFailed } from '../data/upload.ts'
import { showSize } from '../format.ts'
import { filesTexts } from '../texts/files.ts'
import { texts } from '../texts/index.ts'
import { inFolder, writeContent } from './volume.ts'

interface Upload {
  key: number
  file: File
  done: number
  state: 'under way' | 'done' | 'taken' | 'failed'
  problem: string | null
}

const atOnce = 3

export function Uploads({ folder, children }: { folder: string; children: ReactNode }) {
  const [uploads, setUploads] = useState<readonly Upload[]>([])
  const [isOver, setIsOver] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const last = useRef(0)
  const t = filesTexts

  const change = (key: number, to: Partial<Upload>) =>
    setUploads((all) => all.map((each) => (each.key === key ? { ...each, ...to } : each)))

  async function upload({ key, file }: Pick<Upload, 'key' | 'file'>, replaces = 'nothing'): Promise<void> {
    change(key, { state: 'under way', problem: null })
    try {
      if (file.size > maxAttachmentBytes) throw new UploadFailed(t.tooLarge(showSize(maxAttachmentBytes)))
      const bytes = new Uint8Array(await file.arrayBuffer())
      await writeContent(inFolder(folder, file.name), bytes, replaces, (done) => change(key, { done }))
      change(key, { state: 'done', done: 1 })
    } catch (thrown) {
      const isTaken = thrown instanceof BerthError && thrown.code === 'conflict' && replaces === 'nothing'
      const problem = thrown instanceof UploadFailed ? thrown.message || t.uploadFailed : errorText(thrown)
      change(key, { state: isTaken ? 'taken' : 'failed', problem })
    }
  }

  async function add(files: readonly File[]): Promise<void> {
    const added = files.map((file) => ({
      key: ++last.current,
      file,
      done: 0,
      state: 'under way' as const,
      problem: null,
    }))
    setUploads((all) => [...all, ...added])
    const waiting = [...added]
    const work = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) await upload(next)
    }
    await Promise.all(Array.from({ length: atOnce }, work))
  }

  const drop = (event: DragEvent) => {
    event.preventDefault()
    setIsOver(false)
    void add([...event.dataTransfer.files])
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button beside it does the same by keyboard
    <div
      className={isOver ? 'drop-area over' : 'drop-area'}
      onDragOver={(event) => {
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      <div className="buttons">
        <Button variant="primary" onClick={() => field.current?.click()}>
          {t.upload}
        </Button>
        {children}
      </div>
      <input
        ref={field}
        type="file"
        multiple
        hidden
        aria-label={t.upload}
        onChange={({ target }) => {
          void add([...(target.files ?? [])])
          target.value = ''
        }}
      />
      <p className="hint">{t.dropHere}</p>
      {uploads.length > 0 && (
        <ul className="uploads" aria-live="polite">
          {uploads.map((each) => (
            <li key={each.key}>
              <bdi>{shownName(each.file.name)}</bdi>
              {each.state === 'under way' && <progress aria-label={t.uploading} value={each.done} />}
              {each.state === 'done' && <span className="muted">{t.uploaded}</span>}
              {each.problem && <span className="field-problem">{each.problem}</span>}
              {each.state === 'taken' && <Button onClick={() => void upload(each, 'anything')}>{t.replace}</Button>}
              {each.state === 'failed' && <Button onClick={() => void upload(each)}>{texts.common.tryAgain}</Button>}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
