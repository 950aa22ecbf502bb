import { useEffect, useState } from 'react'
import { wordsOf } from '../client.ts'
import { Button } from '../parts/button.tsx'
import { Loading } from '../parts/notice.tsx'
import { useAction } from '../parts/use-action.ts'
import { showDayTime } from '../words.ts'
import { catalogue, type FileDiff, type VersionDetail, type Versions as VersionList } from './calls.ts'

/** The versions of one's own persona, what each changed, and the way back. */
export function Versions({ id, newest, onRestored }: { id: string; newest: number; onRestored: () => void }) {
  const [versions, setVersions] = useState<VersionList | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [shown, setShown] = useState<VersionDetail | null>(null)
  const look = useAction(async (version: number) => setShown(await catalogue.version(id, version)))
  const restore = useAction(async (version: number) => {
    await catalogue.restore(id, version)
    setShown(null)
    onRestored()
  })
  const [asked, setAsked] = useState(0)
  useEffect(() => {
    catalogue.versions(id).then(
      (answer) => setVersions(answer.versions),
      (thrown) => setProblem(wordsOf(thrown)),
    )
  }, [id, newest, asked])
  if (!versions) return <Loading problem={problem} retry={() => setAsked(asked + 1)} />
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
              <Button onPress={() => (shown?.version.version === version ? setShown(null) : look.run(version))}>
                {shown?.version.version === version ? 'Hide changes' : 'Changes'}
                <span className="unseen"> of version {version}</span>
              </Button>
              {version !== newest && (
                <Button busy={restore.busy} onPress={() => restore.run(version)}>
                  Go back<span className="unseen"> to version {version}</span>
                </Button>
              )}
            </span>
            {shown?.version.version === version && <Diff files={shown.diff} against={shown.against} />}
          </li>
        ))}
      </ol>
      <p className="field-problem" role="alert">
        {look.problem ?? restore.problem}
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
                <span className="unseen">{spoken[kind]}</span>
                {text}
              </li>
            ))}
          </ul>
        </figure>
      ))}
    </div>
  )
}
