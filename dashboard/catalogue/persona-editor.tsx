import { useEffect, useRef, useState } from 'react'
import { BerthError } from '../../clients/typescript/client.ts'
import type { Persona } from '../../domain/catalogue/persona.ts'
import { personaIdFor } from '../../domain/catalogue/persona-id.ts'
import { maxPersonaCharacters } from '../../domain/catalogue/persona-limits.ts'
import { Button } from '../components/button.tsx'
import { Form } from '../components/form.tsx'
import { Loading, Notice, Problem } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { useAskBeforeLeaving } from '../components/use-kept-draft.ts'
import { refresh, setRead } from '../data/cache.ts'
import { berth } from '../data/client.ts'
import { showCount, showDayTime } from '../format.ts'
import { catalogueTexts } from '../texts/catalogue.ts'
import { Conflict } from './conflict.tsx'
import { Differences } from './differences.tsx'
import { type PersonaDraft, withoutEmpty } from './persona-draft.ts'
import { PersonaFields } from './persona-fields.tsx'
import { usePersonaDraft } from './use-persona-draft.ts'

const { editor: words, conflict: conflictWords } = catalogueTexts

interface EditorProps {
  /** Null for a new one. */
  id: string | null
  copied?: PersonaDraft | null
  taken: readonly string[]
  /** When the newest version was saved, ISO 8601; null while unknown. */
  savedAt?: string | null
  onSaved?: (id: string) => void
}

/** Edits an own persona; each save is a version. The browser keeps unsaved text. */
export function PersonaEditor({ id, copied = null, taken, savedAt = null, onSaved }: EditorProps) {
  const persona = usePersonaDraft(id, copied)
  const [left, setLeft] = useState<PersonaDraft | null>(null)
  const { shown, newest, isUnsaved } = persona
  const [other] = persona.others
  useAskBeforeLeaving(isUnsaved)

  const latest = useRef(persona)
  useEffect(() => {
    latest.current = persona
  })

  const save = useAction(async (draft: PersonaDraft) => {
    const { draft: sent } = persona
    const saved = await send(draft)
    const { current } = latest
    // Text typed during the save is not saved yet.
    if (current.draft && current.draft !== sent) current.keep({ ...current.draft, basedOn: saved.version })
    else current.drop()
    current.endMerge()
    setLeft(null)
    refresh('listPersonas', 'getPersona', 'listPersonaVersions', 'getSkill')
    onSaved?.(draft.id)
  })
  if (!shown || !newest) return <Loading problem={persona.problem} retry={persona.reload} />

  const draftToSave = (basedOn = shown.basedOn): PersonaDraft => ({
    ...shown,
    basedOn,
    id: id ?? (shown.id || personaIdFor(shown.name, taken)),
  })
  const change = (to: Partial<PersonaDraft>) => {
    save.clear()
    persona.set(to)
  }
  const letGo = () => {
    setLeft(persona.draft)
    persona.drop()
    persona.endMerge()
    save.clear()
  }
  const characters = shown.files.reduce((sum, { text }) => sum + text.length, 0)
  return (
    <Form className="persona-editor" noValidate={false} onSubmit={() => save.run(draftToSave())}>
      {other && (
        <Notice tone="info" action={{ label: words.takeOther, run: () => void persona.take(other) }}>
          {words.other(showDayTime(other.at))}
        </Notice>
      )}
      {left && !isUnsaved && (
        <Notice
          tone="info"
          action={{
            label: words.bringBack,
            run: () => {
              persona.keep(left)
              setLeft(null)
            },
          }}
        >
          {words.leftBehind}
        </Notice>
      )}
      {persona.isInTheWay && persona.draft && (
        <Conflict
          mine={persona.draft}
          theirs={newest}
          busy={save.busy}
          onKeep={() => void save.run(draftToSave(newest.basedOn))}
          onTake={letGo}
          onMerge={persona.merge}
        />
      )}
      {persona.isMerging && (
        <Differences
          before={newest.files}
          after={shown.files}
          names={{ before: conflictWords.theirs(newest.basedOn), after: conflictWords.mine }}
          onTake={(path, text) => change({ files: withText(shown.files, path, text) })}
        />
      )}
      <PersonaFields id={id} draft={shown} taken={taken} details={save.details} onChange={change} />
      <p className={characters > maxPersonaCharacters ? 'field-problem' : 'hint'}>
        {words.whole(showCount(characters), showCount(maxPersonaCharacters))}
      </p>
      <p className="hint" role="status">
        {isUnsaved ? (persona.isKept ? words.unsaved : words.notKept) : savedText(newest, savedAt, persona.isActive)}
      </p>
      <Problem text={!persona.isInTheWay && (id === null && save.details.newest ? words.idTaken : save.problem)} />
      <div className="buttons">
        <Button variant="primary" submit busy={save.busy} disabled={persona.isInTheWay || (id !== null && !isUnsaved)}>
          {id === null ? words.save : words.saveVersion}
        </Button>
        {isUnsaved && <Button onClick={letGo}>{words.discard}</Button>}
      </div>
    </Form>
  )
}

/** @throws BerthError, a conflict when there is a newer version, which is then read */
async function send(draft: PersonaDraft): Promise<Persona> {
  const sent = withoutEmpty(draft)
  try {
    const { persona } = await berth.savePersona(sent)
    setRead('getPersona', { id: draft.id }, () => ({ persona, texts: sent.files }))
    return persona
  } catch (thrown) {
    if (thrown instanceof BerthError && thrown.code === 'conflict') refresh('getPersona', 'listPersonas')
    throw thrown
  }
}

function savedText({ basedOn }: PersonaDraft, savedAt: string | null, isActive: boolean): string {
  if (savedAt === null) return ''
  return `${words.saved(basedOn, showDayTime(savedAt))} ${isActive ? words.takesEffect : words.whenActivated}`
}

const withText = (files: PersonaDraft['files'], path: string, text: string): PersonaDraft['files'] =>
  files.some((file) => file.path === path)
    ? files.map((file) => (file.path === path ? { path, text } : file))
    : [...files, { path, text }]
