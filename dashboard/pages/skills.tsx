import { useCallback, useEffect, useState } from 'react'
import { useChanges } from '../account.tsx'
import { catalogue, type Skill } from '../catalogue/calls.ts'
import { SkillRow } from '../catalogue/skill-row.tsx'
import { Tabs } from '../catalogue/tabs.tsx'
import { wordsOf } from '../client.ts'
import { Loading } from '../parts/notice.tsx'

export function SkillsPage() {
  const [skills, setSkills] = useState<Skill[] | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [wanted, setWanted] = useState('')

  const read = useCallback(() => {
    catalogue.skills(wanted).then(
      (answer) => {
        setSkills(answer.skills)
        setProblem(null)
      },
      (thrown) => setProblem(wordsOf(thrown)),
    )
  }, [wanted])
  useEffect(() => {
    const timer = setTimeout(read, 150)
    return () => clearTimeout(timer)
  }, [read])
  useChanges('skill.', read)

  const change = (next: Skill) => setSkills(skills?.map((one) => (one.id === next.id ? next : one)) ?? null)
  return (
    <>
      <Tabs current="/skills" />
      <h1>Skills</h1>
      <p className="muted page-lead">
        Instructions your agent reads when a task calls for them. It gets a change at its next sync, without a restart.
      </p>
      <section aria-labelledby="skills-title">
        <h2 id="skills-title" className="unseen">
          The catalogue
        </h2>
        <div className="field search">
          <label htmlFor="skill-search">Search</label>
          <input
            id="skill-search"
            type="search"
            placeholder="review, notes, writing"
            maxLength={100}
            value={wanted}
            onChange={(event) => setWanted(event.target.value)}
          />
        </div>
        {!skills && <Loading problem={problem} retry={read} />}
        <p className="unseen" role="status">
          {skills ? `${skills.length} skills` : ''}
        </p>
        {skills?.length === 0 && <p className="card muted">No skill matches that.</p>}
        {skills && skills.length > 0 && (
          <ul className="card rows">
            {skills.map((one) => (
              <SkillRow key={one.id} skill={one} onChange={change} />
            ))}
          </ul>
        )}
      </section>
    </>
  )
}
