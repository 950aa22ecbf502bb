import { useEffect, useState } from 'react'
import type { Skill } from '../../domain/catalogue/skill.ts'
import { Button } from '../components/button.tsx'
import { ChoiceField } from '../components/choice-field.tsx'
import { Loading, Problem } from '../components/notice.tsx'
import { usePages } from '../data/cache.ts'
import { Link, useSearchState } from '../router.tsx'
import { catalogueTexts } from '../texts/catalogue.ts'
import { reachOf } from './skill-reach.ts'
import { useSkillSwitch } from './use-skill-switch.ts'

const words = catalogueTexts.skills

/** A pause in typing after which the search runs, ms. */
const settleMs = 150

const filters = ['', 'on', 'off'] as const

export function SkillList() {
  const [q, setQ] = useSearchState<string>('q', '')
  const [filter, setFilter] = useSearchState<string>('show', '')
  const [typed, setTyped] = useState(q)
  const { items, problem, reload, more, busy } = usePages('listSkills', 'skills', {
    limit: 100,
    q,
    ...((filter === 'on' || filter === 'off') && { enabled: filter === 'on' }),
  })

  useEffect(() => {
    const timer = setTimeout(() => setQ(typed, { replace: true }), settleMs)
    return () => clearTimeout(timer)
  }, [typed, setQ])

  return (
    <section aria-labelledby="skills-title">
      <h2 id="skills-title" className="visually-hidden">
        {words.list}
      </h2>
      <div className="skill-filters">
        <div className="field search">
          <label htmlFor="skill-search">{words.search}</label>
          <input
            id="skill-search"
            type="search"
            placeholder={words.searchPlaceholder}
            maxLength={100}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        </div>
        <ChoiceField
          label={words.filter}
          value={filter}
          options={filters.map((each) => [each, words.filters[each || 'all']])}
          onChoice={setFilter}
        />
      </div>
      {!items && <Loading problem={problem} retry={reload} />}
      <p className="visually-hidden" role="status">
        {items ? words.count(items.length) : ''}
      </p>
      {items?.length === 0 && <p className="card muted">{words.none}</p>}
      {items && items.length > 0 && (
        <ul className="card rows">
          {items.map((skill) => (
            <SkillRow key={skill.id} skill={skill} />
          ))}
        </ul>
      )}
      {more && (
        <Button busy={busy} onClick={more}>
          {words.more}
        </Button>
      )}
    </section>
  )
}

function SkillRow({ skill }: { skill: Skill }) {
  const missing = [...skill.missing.env, ...skill.missing.bins]
  const choose = useSkillSwitch(skill.id)
  const reach = reachOf(skill)
  return (
    <li className="row skill">
      <div className="row-text">
        <p className="row-name">
          <Link to={`/skills?skill=${skill.id}`}>{skill.name}</Link>{' '}
          <span className={skill.enabled ? 'pill good' : 'pill'}>{skill.enabled ? words.on : words.off}</span>
        </p>
        <p>{skill.description}</p>
        {skill.changed && <p className="field-problem">{words.changed}</p>}
        {reach.length > 0 && (
          <ul className="tags" aria-label={words.reach}>
            {reach.map((kind) => (
              <li key={kind}>{words.reaches[kind]}</li>
            ))}
          </ul>
        )}
        {missing.length > 0 && <p className="field-problem">{missing.map(words.missing).join(' ')}</p>}
        <Problem text={choose.problem} />
      </div>
      <div className="buttons">
        <Button
          of={skill.name}
          variant={skill.enabled ? 'plain' : 'primary'}
          busy={choose.busy}
          disabled={!skill.enabled && missing.length > 0}
          onClick={() => choose.run(!skill.enabled)}
        >
          {skill.enabled ? words.turnOff : words.turnOn}
        </Button>
      </div>
    </li>
  )
}
