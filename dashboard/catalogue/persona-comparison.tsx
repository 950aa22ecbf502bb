import type { Operations } from '../../clients/typescript/operations.ts'
import type { Persona } from '../../domain/catalogue/persona.ts'
import { ChoiceField } from '../components/choice-field.tsx'
import { Loading } from '../components/notice.tsx'
import { useRead } from '../data/cache.ts'
import { showDayTime } from '../format.ts'
import { useSearchState } from '../router.tsx'
import { catalogueTexts } from '../texts/catalogue.ts'
import { Differences } from './differences.tsx'

const words = catalogueTexts.comparison

interface Props {
  persona: Persona
  personas: Persona[]
  versions: Operations['listPersonaVersions']['output']['versions'] | null
}

/** Compares a saved persona with a built-in one or an earlier version, by the address. */
export function PersonaComparison({ persona, personas, versions }: Props) {
  const { id, copiedFrom } = persona
  const [chosen, setChosen] = useSearchState<string>('with', '')
  // No id has a dot in it.
  const version = /^v\.\d+$/.test(chosen) ? Number(chosen.slice(2)) : null
  const other = version === null && chosen !== '' ? chosen : null
  const mine = useRead('getPersona', chosen === '' ? null : { id })
  const builtIn = useRead('getPersona', other === null ? null : { id: other })
  const earlier = useRead('getPersonaVersion', version === null ? null : { id, version })
  const before = builtIn.data?.texts ?? earlier.data?.texts ?? null
  const problem = mine.problem ?? builtIn.problem ?? earlier.problem
  const others = personas
    .filter((each) => each.id !== id && (each.builtIn || each.id === copiedFrom))
    .sort((a, b) => Number(b.id === copiedFrom) - Number(a.id === copiedFrom))
  const label =
    version === null
      ? (personas.find((each) => each.id === other)?.name ?? '')
      : catalogueTexts.versions.version(version)
  return (
    <section className="card" aria-labelledby="comparison-title">
      <h2 id="comparison-title">{words.title}</h2>
      <ChoiceField
        label={words.with}
        className="field search"
        value={chosen}
        options={[
          ['', words.choose],
          ...others.map((each): [string, string] => [
            each.id,
            each.id === copiedFrom ? words.copied(each.name) : each.name,
          ]),
          ...(versions ?? [])
            .filter(({ version }) => version !== persona.version)
            .map(({ version, savedAt }): [string, string] => [
              `v.${version}`,
              `${catalogueTexts.versions.version(version)} · ${showDayTime(savedAt)}`,
            ]),
        ]}
        onChoice={setChosen}
      />
      {chosen !== '' &&
        (before && mine.data ? (
          <Differences
            before={before}
            after={mine.data.texts}
            names={{ before: label, after: words.saved(persona.version) }}
          />
        ) : (
          <Loading problem={problem} retry={() => setChosen('')} />
        ))}
    </section>
  )
}
