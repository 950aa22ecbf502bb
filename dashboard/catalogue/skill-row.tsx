import { useState } from 'react'
import type { SkillDetail } from '../../clients/typescript/operations.ts'
import type { Skill } from '../../domain/catalogue/skill.ts'
import { berth } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { Markdown } from '../components/markdown.tsx'
import { useAction } from '../components/use-action.ts'

/** One skill: what it does, what it requires, and whether the agent has it. */
export function SkillRow({ skill, onChange }: { skill: Skill; onChange: (skill: Skill) => void }) {
  const [detail, setDetail] = useState<SkillDetail | null>(null)
  const missing = [...skill.missing.env, ...skill.missing.bins]
  const required = [...skill.requires.env, ...skill.requires.bins]
  const choose = useAction(async (enabled: boolean) => {
    onChange((await (enabled ? berth.enableSkill : berth.disableSkill)({ id: skill.id })).skill)
  })
  const readDetail = useAction(async () => setDetail((await berth.getSkill({ id: skill.id })).skill))
  return (
    <li className="row skill">
      <div className="row-text">
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
              <li key={name} className={missing.includes(name) ? 'missing' : undefined}>
                {name}
                {missing.includes(name) ? ' is missing' : ''}
              </li>
            ))}
          </ul>
        )}
        <p className="field-problem" role="alert">
          {choose.problem ?? readDetail.problem}
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
        <Button busy={readDetail.busy} onClick={() => (detail ? setDetail(null) : readDetail.run())}>
          {detail ? 'Close' : 'Read'}
          <span className="visually-hidden"> {skill.name}</span>
        </Button>
        <Button
          variant={skill.enabled ? 'plain' : 'primary'}
          busy={choose.busy}
          disabled={!skill.enabled && missing.length > 0}
          onClick={() => choose.run(!skill.enabled)}
        >
          {skill.enabled ? 'Turn off' : 'Turn on'}
          <span className="visually-hidden"> {skill.name}</span>
        </Button>
      </div>
    </li>
  )
}
