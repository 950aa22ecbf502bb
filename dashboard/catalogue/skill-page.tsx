import { type ReactNode, useState } from 'react'
import type { SkillDetail } from '../../clients/typescript/operations.ts'
import { useAccount } from '../account-state.tsx'
import { Button } from '../components/button.tsx'
import { Fact } from '../components/fact.tsx'
import { Markdown } from '../components/markdown.tsx'
import { Loading, Problem } from '../components/notice.tsx'
import { SourceText } from '../components/source-text.tsx'
import { useRead } from '../data/cache.ts'
import { showDay, showSize } from '../format.ts'
import { Link } from '../router.tsx'
import { catalogueTexts } from '../texts/catalogue.ts'
import { useSkillSwitch } from './use-skill-switch.ts'

const { skill: words, skills: list } = catalogueTexts

export function SkillPage({ id }: { id: string }) {
  const { data, problem, reload } = useRead('getSkill', { id })
  const skill = data?.skill
  return (
    <>
      <p>
        <Link to="/skills">{words.back}</Link>
      </p>
      {!skill && <Loading problem={problem} retry={reload} />}
      {skill && (
        <>
          <SwitchCard skill={skill} />
          <ReachCard skill={skill} />
          <TextCard skill={skill} />
          <AboutCard skill={skill} />
        </>
      )}
    </>
  )
}

function SwitchCard({ skill }: { skill: SkillDetail }) {
  const { status } = useAccount()
  const choose = useSkillSwitch(skill.id)
  const missing = [...skill.missing.env, ...skill.missing.bins]
  return (
    <section className="card" aria-labelledby="skill-title">
      <div className="card-head">
        <h2 id="skill-title">{skill.name}</h2>
        <span className={skill.enabled ? 'pill good' : 'pill'}>{skill.enabled ? list.on : list.off}</span>
      </div>
      <p>{skill.description}</p>
      {skill.changed && <p className="field-problem">{list.changed}</p>}
      {skill.missing.env.length > 0 && (
        <p>
          {words.missingVariable(
            skill.missing.env.join(', '),
            <Link to="/instance?tab=settings">{words.variables}</Link>,
          )}
        </p>
      )}
      {skill.missing.bins.length > 0 && <p>{words.missingProgram(skill.missing.bins.join(', '))}</p>}
      <p className="muted">
        {skill.enabled ? words.whenOff : words.whenOn} {words.noRestart}{' '}
        {skill.requires.env.length > 0 && words.refreshForVariables}
        {!status?.instance && words.noMachine}
      </p>
      <Problem text={choose.problem} />
      <p>
        <Button
          variant={skill.enabled ? 'plain' : 'primary'}
          busy={choose.busy}
          disabled={!skill.enabled && missing.length > 0}
          onClick={() => choose.run(!skill.enabled)}
        >
          {skill.enabled ? list.turnOff : list.turnOn}
        </Button>
      </p>
    </section>
  )
}

function ReachCard({ skill }: { skill: SkillDetail }) {
  const { access, requires, missing, allowedTools, compatibility } = skill
  const variables = requires.env.map((name) => (
    <span key={name}>
      <code>{name}</code> {missing.env.includes(name) ? words.notSet : words.isSet}{' '}
    </span>
  ))
  return (
    <section className="card" aria-labelledby="reach-title">
      <h2 id="reach-title">{words.reach}</h2>
      <dl className="facts-list">
        <Fact name={words.network}>{access.network.length > 0 ? codes(access.network) : words.noNetwork}</Fact>
        <Fact name={words.secrets}>{variables.length > 0 ? variables : words.noSecrets}</Fact>
        <Fact name={words.programs}>{requires.bins.length > 0 ? codes(requires.bins) : words.noPrograms}</Fact>
        <Fact name={words.reads}>{access.reads.length > 0 ? codes(access.reads) : words.nothing}</Fact>
        <Fact name={words.writes}>{access.writes.length > 0 ? codes(access.writes) : words.nothing}</Fact>
        <Fact name={words.tools}>
          {allowedTools.length > 0 ? allowedTools.map(toolText).join(', ') : words.nothing}
        </Fact>
        {compatibility !== null && <Fact name={words.needs}>{compatibility}</Fact>}
      </dl>
      <p className="hint">{words.notHeld}</p>
    </section>
  )
}

const tools: Readonly<Record<string, string>> = words.toolNames
const toolText = (name: string): string => (Object.hasOwn(tools, name) ? (tools[name] ?? name) : name)

const codes = (all: readonly string[]): ReactNode =>
  all.map((each) => (
    <span key={each}>
      <code>{each}</code>{' '}
    </span>
  ))

function TextCard({ skill }: { skill: SkillDetail }) {
  const [asSource, setAsSource] = useState(false)
  return (
    <section className="card" aria-labelledby="text-title">
      <div className="card-head">
        <h2 id="text-title">{words.text}</h2>
        <Button onClick={() => setAsSource(!asSource)}>{asSource ? words.asShown : words.asSource}</Button>
      </div>
      {asSource ? <SourceText label={words.sourceOf(skill.name)} text={skill.body} /> : <Markdown text={skill.body} />}
    </section>
  )
}

function AboutCard({ skill }: { skill: SkillDetail }) {
  const { personas } = skill
  return (
    <section className="card" aria-labelledby="about-title">
      <h2 id="about-title">{words.about}</h2>
      <dl className="facts-list">
        <Fact name={words.version}>{skill.version}</Fact>
        <Fact name={words.source}>{words.firstParty}</Fact>
        <Fact name={words.license}>{skill.license}</Fact>
        <Fact name={words.changedAt}>{showDay(skill.updatedAt)}</Fact>
        <Fact name={words.size}>
          {showSize(skill.size)} ({skill.files.map(({ path }) => path).join(', ')})
        </Fact>
        <Fact name={words.pinned}>
          <code>{skill.sha256.slice(0, 12)}</code>
        </Fact>
      </dl>
      <p>{personas.length > 0 ? words.namedBy : words.namedByNone}</p>
      {personas.length > 0 && (
        <ul className="tags">
          {personas.map(({ id, name }) => (
            <li key={id}>
              <Link to={`/personas?persona=${id}`}>
                <bdi>{name}</bdi>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
