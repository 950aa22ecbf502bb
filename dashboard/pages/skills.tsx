import { useCallback, useEffect, useState } from 'react'
import type { Skill } from '../../domain/catalogue/skill.ts'
import { useServerEvents } from '../account-state.tsx'
import { berth, errorText } from '../api/client.ts'
import { SkillRow } from '../catalogue/skill-row.tsx'
import { Tabs } from '../catalogue/tabs.tsx'
import { Loading } from '../components/notice.tsx'

export function SkillsPage() {
  const [skills, setSkills] = useState<Skill[] | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [search, setSearch] = useState('')

  const read = useCallback(() => {
    berth.listSkills({ limit: 100, q: search }).then(
      (answer) => {
        setSkills(answer.skills)
        setProblem(null)
      },
      (thrown) => setProblem(errorText(thrown)),
    )
  }, [search])
  useEffect(() => {
    const timer = setTimeout(read, 150)
    return () => clearTimeout(timer)
  }, [read])
  useServerEvents('skill.', read)

  const change = (next: Skill) => setSkills(skills?.map((skill) => (skill.id === next.id ? next : skill)) ?? null)
  return (
    <>
      <Tabs current="/skills" />
      <h1>Skills</h1>
      <p className="muted page-lead">
        Instructions your agent reads when a task calls for them. It gets a change at its next sync, without a restart.
      </p>
      <section aria-labelledby="skills-title">
        <h2 id="skills-title" className="visually-hidden">
          The catalogue
        </h2>
        <div className="field search">
          <label htmlFor="skill-search">Search</label>
          <input
            id="skill-search"
            type="search"
            placeholder="review, notes, writing"
            maxLength={100}
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        </div>
        {!skills && <Loading problem={problem} retry={read} />}
        <p className="visually-hidden" role="status">
          {skills ? `${skills.length} skills` : ''}
        </p>
        {skills?.length === 0 && <p className="card muted">No skill matches that.</p>}
        {skills && skills.length > 0 && (
          <ul className="card rows">
            {skills.map((skill) => (
              <SkillRow key={skill.id} skill={skill} onChange={change} />
            ))}
          </ul>
        )}
      </section>
    </>
  )
}
