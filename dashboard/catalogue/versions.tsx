import { useEffect, useState } from 'react'
import type { Operations } from '../../clients/typescript/operations.ts'
import type { FileDiff } from '../../domain/catalogue/persona-versions.ts'
import { berth, errorText } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { Loading } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { showDayTime } from '../format.ts'

type PersonaVersions = Operations['listPersonaVersions']['output']['versions']
type PersonaVersion = Operations['getPersonaVersion']['output']

/** The versions of one's own persona, what each changed, and the way back. */
export function Versions({ id, newest, onRestored }: { id: string; newest: number; onRestored: () => void }) {
  const [versions, setVersions] = useState<PersonaVersions | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [shown, setShown] = useState<PersonaVersion | null>(null)
  const readDiff = useAction(async (version: number) => setShown(await berth.getPersonaVersion({ id, version })))
  const restore = useAction(async (version: number) => {
    await berth.restorePersonaVersion({ id, version })
    setShown(null)
    onRestored()
  })
  const [tries, setTries] = useState(0)
  useEffect(() => {
    berth.listPersonaVersions({ id }).then(
      (answer) => setVersions(answer.versions),
      (thrown) => setProblem(errorText(thrown)),
    )
  }, [id, newest, tries])
  if (!versions) return <Loading problem={problem} retry={() => setTries(tries + 1)} />
  return (
    <div className="versions">
      <h3>Versions</h3>
      <ol>
        {versions.map(({ version, savedAt, characters }) => (
          <li key={version} className="versions-row">
            <span>
              Version {version}{' '}
              <span className="muted">
                {showDayTime(savedAt)}, {characters.toLocaleString('en')} characters
              </span>
            </span>
            <span className="buttons">
              <Button onClick={() => (shown?.version.version === version ? setShown(null) : readDiff.run(version))}>
                {shown?.version.version === version ? 'Hide changes' : 'Changes'}
                <span className="visually-hidden"> of version {version}</span>
              </Button>
              {version !== newest && (
                <Button busy={restore.busy} onClick={() => restore.run(version)}>
                  Go back<span className="visually-hidden"> to version {version}</span>
                </Button>
              )}
            </span>
            {shown?.version.version === version && <Diff files={shown.diff} against={shown.against} />}
          </li>
        ))}
      </ol>
      <p className="field-problem" role="alert">
        {readDiff.problem ?? restore.problem}
      </p>
    </div>
  )
}

const marks = { same: ' ', added: '+', removed: '−' }
const spoken = { same: '', added: 'Added: ', removed: 'Removed: ' }

function Diff({ files, against }: { files: FileDiff[]; against: number | null }) {
  if (files.length === 0) return <p className="muted">The texts are the same as before.</p>
  return (
    <div className="diff">
      <p className="muted">{against ? `Since version ${against}` : 'The first version'}</p>
      {files.map(({ path, lines }) => (
        <figure key={path}>
          <figcaption>{path}</figcaption>
          <ul>
            {lines.map(({ kind, text }, index) => (
              <li key={index} className={kind}>
                <span aria-hidden="true">{marks[kind]} </span>
                <span className="visually-hidden">{spoken[kind]}</span>
                {text}
              </li>
            ))}
          </ul>
        </figure>
      ))}
    </div>
  )
}
