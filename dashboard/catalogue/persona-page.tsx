import { useState } from 'react'
import type { Operations } from '../../clients/typescript/operations.ts'
import type { Persona } from '../../domain/catalogue/persona.ts'
import { useAccount } from '../account-state.tsx'
import { Button } from '../components/button.tsx'
import { Markdown } from '../components/markdown.tsx'
import { Loading } from '../components/notice.tsx'
import { SourceText } from '../components/source-text.tsx'
import { useAction } from '../components/use-action.ts'
import { dropDrafts } from '../components/use-kept-draft.ts'
import { refresh, useRead } from '../data/cache.ts'
import { berth } from '../data/client.ts'
import { go, Link } from '../router.tsx'
import { catalogueTexts } from '../texts/catalogue.ts'
import { PersonaComparison } from './persona-comparison.tsx'
import { placeOf } from './persona-draft.ts'
import { PersonaEditor } from './persona-editor.tsx'
import { Versions } from './versions.tsx'

const { personas: list, editor: words } = catalogueTexts

/** An own persona can be edited even if it was deleted meanwhile. */
export function PersonaPage({ id, personas }: { id: string; personas: Persona[] }) {
  const persona = personas.find((each) => each.id === id)
  const { data } = useRead('listPersonaVersions', persona && !persona.builtIn ? { id } : null)
  const versions = data?.versions ?? null
  return (
    <>
      <section className="card persona-card" aria-labelledby="persona-title">
        <div className="card-head">
          <h2 id="persona-title">
            <bdi>{persona?.name ?? id}</bdi> {persona?.active && <span className="pill good">{list.active}</span>}
          </h2>
          {persona && <PersonaActions persona={persona} />}
        </div>
        {persona?.description && <p dir="auto">{persona.description}</p>}
        {persona?.builtIn ? (
          <GivenTexts id={id} />
        ) : (
          <PersonaEditor
            id={id}
            taken={personas.map((each) => each.id)}
            savedAt={versions?.[0]?.version === persona?.version ? versions?.[0]?.savedAt : null}
          />
        )}
      </section>
      {persona && !persona.builtIn && <PersonaComparison persona={persona} personas={personas} versions={versions} />}
      {persona && !persona.builtIn && versions && <Versions id={id} newest={persona.version} versions={versions} />}
    </>
  )
}

export function PersonaActions({ persona }: { persona: Persona }) {
  const { id, name, active, builtIn } = persona
  const { status } = useAccount()
  const choose = useAction(async () => {
    await (active ? berth.deactivatePersona({ id }) : berth.activatePersona({ id }))
    refresh('listPersonas', 'getPersona')
  })
  return (
    <div className="buttons">
      {!(active && id === 'default') && status?.instance && (
        <Button of={name} variant={active ? 'plain' : 'primary'} busy={choose.busy} onClick={() => choose.run()}>
          {active ? list.backToDefault : list.activate}
        </Button>
      )}
      <Link className="button plain" to={`/personas?new=${id}`}>
        {list.duplicate}
        <span className="visually-hidden"> {name}</span>
      </Link>
      {!builtIn && <DeleteButton persona={persona} />}
      <span className="field-problem" role="alert">
        {choose.problem}
      </span>
    </div>
  )
}

/** Asks first, because the versions are deleted too. */
function DeleteButton({ persona: { id, name } }: { persona: Persona }) {
  const { account } = useAccount()
  const [sure, setSure] = useState(false)
  const remove = useAction(async () => {
    await berth.deletePersona({ id })
    dropDrafts(account.id, placeOf(id))
    refresh('listPersonas')
    go('/personas')
  })
  return (
    <>
      <Button
        of={name}
        variant={sure ? 'danger' : 'plain'}
        busy={remove.busy}
        onClick={() => (sure ? remove.run() : setSure(true))}
      >
        {sure ? words.removeSurely : words.remove}
      </Button>
      <span className="field-problem" role="alert">
        {remove.problem}
      </span>
    </>
  )
}

function GivenTexts({ id }: { id: string }) {
  const { data, problem, reload } = useRead('getPersona', { id })
  const [asSource, setAsSource] = useState(false)
  if (!data) return <Loading problem={problem} retry={reload} />
  return (
    <>
      <p>
        <Button onClick={() => setAsSource(!asSource)}>
          {asSource ? catalogueTexts.skill.asShown : catalogueTexts.skill.asSource}
        </Button>
      </p>
      {data.texts.map((file) => (
        <GivenText key={file.path} file={file} asSource={asSource} />
      ))}
    </>
  )
}

type File = Operations['getPersona']['output']['texts'][number]

const GivenText = ({ file: { path, text }, asSource }: { file: File; asSource: boolean }) => (
  <section aria-label={path}>
    <h3>{path}</h3>
    {asSource ? <SourceText label={catalogueTexts.skill.sourceOf(path)} text={text} /> : <Markdown text={text} />}
  </section>
)
