import { useCallback, useEffect, useState } from 'react'
import type { Entry } from '../../domain/files/entry.ts'
import { wordsOf } from '../client.ts'
import { Button } from '../parts/button.tsx'
import { Loading } from '../parts/notice.tsx'
import { showDayTime } from '../words.ts'
import { type Folder, fileAddress, filesApi, showSize } from './files-api.ts'

/** One folder of the volume, or of a restore point, with a way into each folder and a download for each file. */
export function Browser({ asleep = false, point = null }: { asleep?: boolean; point?: string | null }) {
  const [path, setPath] = useState('')
  const [folder, setFolder] = useState<Folder | null>(null)
  const [problem, setProblem] = useState<string | null>(null)

  const read = useCallback(
    (after: string | null = null) => {
      if (after === null) setFolder(null)
      setProblem(null)
      filesApi.list(path, point, after).then(
        (next) =>
          setFolder((before) => (after && before ? { ...next, entries: [...before.entries, ...next.entries] } : next)),
        (thrown) => setProblem(wordsOf(thrown)),
      )
    },
    [path, point],
  )
  useEffect(() => read(), [read])

  return (
    <section className="card" aria-labelledby={`folder-title-${point}`}>
      <div className="card-head">
        <h2 id={`folder-title-${point}`}>{point ? 'What it holds' : 'On the volume'}</h2>
        <Button look="plain" onPress={() => read()}>
          Reload
        </Button>
      </div>
      <nav aria-label="Folder" className="crumbs">
        {crumbs(path).map(({ name, to }) => (
          <button
            key={to}
            type="button"
            className="quiet"
            onClick={() => setPath(to)}
            aria-current={to === path ? 'page' : undefined}
          >
            {name}
          </button>
        ))}
      </nav>
      {folder?.asOf && (
        <p className="muted" role="status">
          {asleep ? 'Your agent is paused. ' : ''}Nothing has changed since the restore point of{' '}
          {showDayTime(folder.asOf)}.
        </p>
      )}
      {asleep && !folder && !problem && (
        <p className="muted">
          Your agent is paused: a keeper, a machine without it, is started to look. It takes a while.
        </p>
      )}
      {!folder && <Loading problem={problem} retry={() => read()} />}
      {folder?.entries.length === 0 && <p className="muted">This folder is empty.</p>}
      {folder && folder.entries.length > 0 && (
        <ul className="rows">
          {foldersFirst(folder.entries).map((entry) => (
            <EntryRow key={entry.name} entry={entry} path={path} point={point} onOpen={setPath} />
          ))}
        </ul>
      )}
      {folder?.next && <Button onPress={() => read(folder.next)}>Show more</Button>}
    </section>
  )
}

interface RowProps {
  entry: Entry
  path: string
  point: string | null
  onOpen: (path: string) => void
}

function EntryRow({ entry, path, point, onOpen }: RowProps) {
  const whole = path === '' ? entry.name : `${path}/${entry.name}`
  return (
    <li className="row">
      <div className="row-what">
        <p className="row-name">
          {entry.kind === 'folder' ? (
            <button type="button" className="quiet" onClick={() => onOpen(whole)}>
              {entry.name}/
            </button>
          ) : (
            entry.name
          )}
        </p>
        <p className="muted">
          {kindWords[entry.kind] ?? showSize(entry.size)} · {showDayTime(entry.changedAt)}
        </p>
      </div>
      {entry.kind === 'file' && (
        <a className="button plain" href={fileAddress(whole, point)} download>
          Download<span className="unseen"> {entry.name}</span>
        </a>
      )}
    </li>
  )
}

const kindWords: Partial<Record<Entry['kind'], string>> = {
  folder: 'Folder',
  link: 'Link, not followed',
  other: 'Not a file',
}

const foldersFirst = (entries: Entry[]): Entry[] => [
  ...entries.filter(({ kind }) => kind === 'folder'),
  ...entries.filter(({ kind }) => kind !== 'folder'),
]

function crumbs(path: string): { name: string; to: string }[] {
  const parts = path === '' ? [] : path.split('/')
  return [{ name: 'Volume', to: '' }, ...parts.map((name, i) => ({ name, to: parts.slice(0, i + 1).join('/') }))]
}
