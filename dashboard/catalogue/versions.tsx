import { useState } from 'react'
import type { Operations } from '../../clients/typescript/operations.ts'
import type { FileDiff } from '../../domain/catalogue/persona-versions.ts'
import { Button } from '../components/button.tsx'
import { Problem } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { refresh } from '../data/cache.ts'
import { berth } from '../data/client.ts'
import { showCount, showDayTime } from '../format.ts'
import { catalogueTexts } from '../texts/catalogue.ts'
import { Differences } from './differences.tsx'

const words = catalogueTexts.versions

type PersonaVersion = Operations['getPersonaVersion']['output']

interface Props {
  id: string
  newest: number
  versions: Operations['listPersonaVersions']['output']['versions']
}

export function Versions({ id, newest, versions }: Props) {
  const [shown, setShown] = useState<PersonaVersion | null>(null)
  const readDiff = useAction(async (version: number) => setShown(await berth.getPersonaVersion({ id, version })))
  const restore = useAction(async (version: number) => {
    await berth.restorePersonaVersion({ id, version })
    setShown(null)
    refresh('listPersonas', 'getPersona', 'listPersonaVersions')
  })
  return (
    <section className="card versions" aria-labelledby="versions-title">
      <h2 id="versions-title">{words.title}</h2>
      <ol>
        {versions.map(({ version, savedAt, characters }) => (
          <li key={version} className="versions-row">
            <span>
              {words.version(version)}{' '}
              <span className="muted">{words.about(showDayTime(savedAt), showCount(characters))}</span>
            </span>
            <span className="buttons">
              <Button
                of={words.ofVersion(version)}
                reads
                onClick={() => (shown?.version.version === version ? setShown(null) : readDiff.run(version))}
              >
                {shown?.version.version === version ? words.hideChanges : words.changes}
              </Button>
              {version !== newest && (
                <Button of={words.toVersion(version)} busy={restore.busy} onClick={() => restore.run(version)}>
                  {words.goBack}
                </Button>
              )}
            </span>
            {shown?.version.version === version && (
              <div className="versions-changes">
                <Differences
                  before={side(shown.diff, 'added')}
                  after={side(shown.diff, 'removed')}
                  names={{
                    before: shown.against === null ? words.nothing : words.version(shown.against),
                    after: words.version(version),
                  }}
                />
              </div>
            )}
          </li>
        ))}
      </ol>
      <Problem text={readDiff.problem ?? restore.problem} />
    </section>
  )
}

const side = (files: FileDiff[], without: 'added' | 'removed') =>
  files.map(({ path, lines }) => ({
    path,
    text: lines.flatMap(({ kind, text }) => (kind === without ? [] : [text])).join('\n'),
  }))
