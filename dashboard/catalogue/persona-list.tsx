import type { Persona } from '../../domain/catalogue/persona.ts'
import { useAccount } from '../account-state.tsx'
import { hasDraft } from '../components/use-kept-draft.ts'
import { showCount } from '../format.ts'
import { Link } from '../router.tsx'
import { catalogueTexts } from '../texts/catalogue.ts'
import { placeOf, placeOfNew } from './persona-draft.ts'
import { PersonaActions } from './persona-page.tsx'

const words = catalogueTexts.personas

export function PersonaList({ personas }: { personas: Persona[] }) {
  const { account } = useAccount()
  return (
    <>
      <ul className="card rows" aria-label={words.title}>
        {personas.map((persona) => (
          <PersonaRow key={persona.id} persona={persona} isUnsaved={hasDraft(account.id, placeOf(persona.id))} />
        ))}
      </ul>
      <p>
        <Link className="button plain" to="/personas?new=-">
          {hasDraft(account.id, placeOfNew()) ? words.goOn : words.write}
        </Link>
      </p>
    </>
  )
}

function PersonaRow({ persona, isUnsaved }: { persona: Persona; isUnsaved: boolean }) {
  const { id, name, description, active, builtIn, version, size } = persona
  return (
    <li className="row persona-row">
      <div className="row-text">
        <p className="row-name">
          <Link to={`/personas?persona=${id}`}>
            <bdi>{name}</bdi>
          </Link>{' '}
          {active && <span className="pill good">{words.active}</span>}{' '}
          {isUnsaved && <span className="pill busy">{words.unsaved}</span>}
        </p>
        {description && <p dir="auto">{description}</p>}
        <p className="muted">
          {builtIn ? words.builtIn : words.yours(version)} · {id} ·{' '}
          {words.size(showCount(size.characters), showCount(size.maxCharacters), showCount(size.tokens))}
        </p>
      </div>
      <PersonaActions persona={persona} />
    </li>
  )
}
