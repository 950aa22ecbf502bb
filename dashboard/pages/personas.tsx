import type { Persona } from '../../domain/catalogue/persona.ts'
import { blankDraft } from '../catalogue/persona-draft.ts'
import { PersonaEditor } from '../catalogue/persona-editor.tsx'
import { PersonaList } from '../catalogue/persona-list.tsx'
import { PersonaPage } from '../catalogue/persona-page.tsx'
import { Tabs } from '../catalogue/tabs.tsx'
import { Loading } from '../components/notice.tsx'
import { useRead } from '../data/cache.ts'
import { go, Link, useSearchParameter } from '../router.tsx'
import { catalogueTexts } from '../texts/catalogue.ts'
import '../styles/catalogue.css'

const words = catalogueTexts.personas

/** By the address: all personas, one, or a new one (`new=-` empty, `new=<id>` a copy). */
export function PersonasPage() {
  const { data, problem, reload } = useRead('listPersonas')
  const id = useSearchParameter('persona')
  const begun = useSearchParameter('new')
  const isList = id === null && begun === null
  return (
    <>
      <Tabs current="/personas" />
      <h1>{words.title}</h1>
      {isList ? (
        <p className="muted page-lead">{words.lead}</p>
      ) : (
        <p>
          <Link to="/personas">{words.back}</Link>
        </p>
      )}
      {!data && <Loading problem={problem} retry={reload} />}
      {data && isList && <PersonaList personas={data.personas} />}
      {data && id !== null && <PersonaPage key={id} id={id} personas={data.personas} />}
      {data && id === null && begun !== null && <NewPersona key={begun} from={begun} personas={data.personas} />}
    </>
  )
}

function NewPersona({ from, personas }: { from: string; personas: Persona[] }) {
  const original = personas.find(({ id }) => id === from)
  const { data, problem, reload } = useRead('getPersona', original ? { id: original.id } : null)
  const copied = data && {
    ...blankDraft,
    name: words.copyOf(data.persona.name),
    description: data.persona.description,
    files: data.texts,
    copiedFrom: data.persona.id,
  }
  return (
    <section className="card" aria-labelledby="new-title">
      <h2 id="new-title">{original ? words.copyOf(original.name) : catalogueTexts.editor.titleNew}</h2>
      {original && !copied ? (
        <Loading problem={problem} retry={reload} />
      ) : (
        <PersonaEditor
          id={null}
          copied={copied}
          taken={personas.map(({ id }) => id)}
          onSaved={(id) => go(`/personas?persona=${id}`)}
        />
      )}
    </section>
  )
}
