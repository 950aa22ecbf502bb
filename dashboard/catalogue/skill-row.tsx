import { useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Markdown } from '../parts/markdown.tsx'
import { useAction } from '../parts/use-action.ts'
import { catalogue, type Skill, type SkillDetail } from './calls.ts'

/** One skill: what it does, what it requires, and whether the agent has it. */
export function SkillRow({ skill, onChange }: { skill: Skill; onChange: (skill: Skill) => void }) {
  const [detail, setDetail] = useState<SkillDetail | null>(null)
  const missing = [...skill.missing.env, ...skill.missing.bins]
  const required = [...skill.requires.env, ...skill.requires.bins]
  const choose = useAction(async (enabled: boolean) => {
    onChange((await catalogue.choose(skill.id, enabled)).skill)
  })
  const look = useAction(async () => setDetail(await catalogue.skill(skill.id)))
  return (
    <li className="row skill">
      <div className="row-what">
        <p className="row-name">
          {skill.name} <span className={skill.enabled ? 'pill good' : 'pill'}>{skill.enabled ? 'On' : 'Off'}</span>
        </p>
        <p>{skill.description}</p>
        {skill.changed && (
          <p className="field-problem">Changed since you turned it on. Look at it, then turn it on again.</p>
        )}
        {required.length > 0 && (
          <ul className="tags" aria-label="Requires">
            {required.map((name) => (
              <li key={name} className={missing.includes(name) ? 'lacking' : undefined}>
                {name}
                {missing.includes(name) ? ' is missing' : ''}
              </li>
            ))}
          </ul>
        )}
        <p className="field-problem" role="alert">
          {choose.problem ?? look.problem}
        </p>
        {detail && (
          <div className="skill-text">
            <p className="muted">
              Version {detail.version} · {detail.license} · pinned to <code>{detail.sha256.slice(0, 12)}</code>
            </p>
            <Markdown text={detail.body} />
          </div>
        )}
      </div>
      <div className="buttons">
        <Button busy={look.busy} onPress={() => (detail ? setDetail(null) : look.run())}>
          {detail ? 'Close' : 'Read'}
          <span className="unseen"> {skill.name}</span>
        </Button>
        <Button
          look={skill.enabled ? 'plain' : 'primary'}
          busy={choose.busy}
          disabled={!skill.enabled && missing.length > 0}
          onPress={() => choose.run(!skill.enabled)}
        >
          {skill.enabled ? 'Turn off' : 'Turn on'}
          <span className="unseen"> {skill.name}</span>
        </Button>
      </div>
    </li>
  )
}
