import { useState } from 'react'
import { BerthError } from '../../clients/typescript/client.ts'
import { ComparisonView } from '../compare/comparison-view.tsx'
import { Button } from '../components/button.tsx'
import { Loading, Notice } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { useAskBeforeLeaving, useKeptDraft } from '../components/use-kept-draft.ts'
import { sha256Of } from '../data/upload.ts'
import { filesTexts } from '../texts/files.ts'
import { texts } from '../texts/index.ts'
import { type Content, nameOf, readContent, textOf, writeContent } from './volume.ts'
import { WorkerNote } from './worker-note.tsx'

/** An unsaved text, and the SHA-256 of its original. */
interface TextDraft {
  text: string
  base: string
}

export const draftPlace = (path: string): string => `file ${path}`

function parseDraft(value: unknown): TextDraft | null {
  const { text, base } = (value ?? {}) as Partial<Record<keyof TextDraft, unknown>> // safe because both are looked at
  return typeof text === 'string' && typeof base === 'string' ? { text, base } : null
}

interface Props {
  path: string
  text: string
  base: string
  /** Receives the saved content; null without a save. */
  onClosed: (written: Content | null) => void
}

/** The browser keeps unsaved text. A save only replaces the version it was based on, so no other change is lost. */
export function TextEditor({ path, text: read, base: readBase, onClosed }: Props) {
  const kept = useKeptDraft(draftPlace(path), parseDraft)
  const { text, base } = kept.draft ?? { text: read, base: readBase }
  const [refused, setRefused] = useState(false)
  const [compared, setCompared] = useState<Theirs | null>(null)
  const isUnsaved = kept.draft !== null && (text !== read || base !== readBase)
  const isInTheWay = refused || (base !== readBase && compared?.sha256 !== base)
  const t = filesTexts
  useAskBeforeLeaving(isUnsaved)

  const save = useAction(async (replaces: string) => {
    const bytes = new TextEncoder().encode(text)
    try {
      await writeContent(path, bytes, replaces)
    } catch (thrown) {
      if (thrown instanceof BerthError && thrown.code === 'conflict' && replaces !== 'anything') setRefused(true)
      throw thrown
    }
    kept.drop()
    onClosed({ bytes, sha256: await sha256Of(bytes) })
  })
  const settle = (next: TextDraft, theirs: Theirs | null) => {
    kept.keep(next)
    setCompared(theirs)
    setRefused(false)
    save.clear()
  }
  if (!kept.isRead) return <Loading problem={null} retry={() => {}} />
  return (
    <div className="text-editor">
      {isUnsaved && !isInTheWay && <p className="hint">{kept.isKept ? t.unsaved : t.notKept}</p>}
      {save.problem && !isInTheWay && <Notice tone="bad">{save.problem}</Notice>}
      {isInTheWay && (
        <Conflict
          path={path}
          mine={text}
          onOverwrite={() => save.run('anything')}
          onTake={(theirs) => settle({ text: theirs.text, base: theirs.sha256 }, theirs)}
          onMerge={(theirs) => settle({ text, base: theirs.sha256 }, theirs)}
        />
      )}
      {compared && !isInTheWay && compared.text !== text && (
        <ComparisonView
          before={compared.text}
          after={text}
          names={{ before: t.thereNow, after: t.mine }}
          onTake={(next) => kept.keep({ text: next, base })}
        />
      )}
      <textarea
        aria-label={t.editorLabel(nameOf(path))}
        className="file-editor"
        dir="auto"
        spellCheck={false}
        value={text}
        // Text typed now would be missing from the saved file.
        readOnly={save.busy}
        onChange={({ target }) => kept.keep({ text: target.value, base })}
      />
      <WorkerNote busy={save.busy} />
      <div className="buttons">
        <Button variant="primary" busy={save.busy} disabled={isInTheWay} onClick={() => save.run(base)}>
          {t.save}
        </Button>
        <Button
          onClick={() => {
            kept.drop()
            onClosed(null)
          }}
        >
          {isUnsaved ? t.discard : texts.common.close}
        </Button>
      </div>
    </div>
  )
}

interface Theirs {
  text: string
  sha256: string
}

interface ConflictProps {
  path: string
  mine: string
  onOverwrite: () => void
  onTake: (theirs: Theirs) => void
  onMerge: (theirs: Theirs) => void
}

/** The file changed meanwhile: the user chooses, after viewing the differences if they like. */
function Conflict({ path, mine, onOverwrite, onTake, onMerge }: ConflictProps) {
  const [theirs, setTheirs] = useState<Theirs | null>(null)
  const t = filesTexts
  const read = useAction(async (then: (theirs: Theirs) => void) => {
    const { bytes, sha256 } = await readContent(path, null)
    const text = textOf(bytes)
    if (text === null) throw new BerthError('conflict', t.noLongerText)
    then({ text, sha256 })
  })
  return (
    <>
      <Notice tone="bad">{t.changedMeanwhile}</Notice>
      {read.problem && <Notice tone="bad">{read.problem}</Notice>}
      <div className="buttons">
        <Button busy={read.busy} onClick={() => read.run(setTheirs)}>
          {t.showTheirs}
        </Button>
        <Button variant="danger" onClick={onOverwrite}>
          {t.overwrite}
        </Button>
        <Button busy={read.busy} onClick={() => read.run(onTake)}>
          {t.takeTheirs}
        </Button>
        <Button busy={read.busy} onClick={() => read.run(onMerge)}>
          {t.together}
        </Button>
      </div>
      {theirs && <ComparisonView before={theirs.text} after={mine} names={{ before: t.thereNow, after: t.mine }} />}
    </>
  )
}
