import { useCallback, useEffect, useState } from 'react'
import type { Entry } from '../../domain/files/entry.ts'
import { errorText } from '../api/client.ts'
import { type Folder, filePath, readFolder } from '../api/operations.ts'
import { Button } from '../components/button.tsx'
import { Loading } from '../components/notice.tsx'
import { showDayTime, showSize } from '../format.ts'

/** One folder of the volume, or of a restore point, with a way into each folder and a download for each file. */
export function FileBrowser({ asleep = false, point = null }: { asleep?: boolean; point?: string | null }) {
  const [path, setPath] = useState('')
  const [folder, setFolder] = useState<Folder | null>(null)
  const [problem, setProblem] = useState<string | null>(null)

  const read = useCallback(
    (after: string | null = null) => {
      if (after === null) setFolder(null)
      setProblem(null)
      readFolder(path, point, after ?? undefined).then(
        (next) =>
          setFolder((before) => (after && before ? { ...next, entries: [...before.entries, ...next.entries] } : next)),
        (thrown) => setProblem(errorText(thrown)),
      )
    },
    [path, point],
  )
  useEffect(() => read(), [read])

  return (
    <section className="card" aria-labelledby={`folder-title-${point}`}>
      <div className="card-head">
        <h2 id={`folder-title-${point}`}>{point ? 'What it holds' : 'On the volume'}</h2>
        <Button variant="plain" onClick={() => read()}>
          Reload
        </Button>
      </div>
      <nav aria-label="Folder" className="crumbs">
        {crumbs(path).map(({ name, to }) => (
          <button
            key={to}
            type="button"
            className="link-button"
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
          Your agent is paused: a volume worker, a machine without your agent, is started to read it. It takes a while.
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
      {folder?.next && <Button onClick={() => read(folder.next)}>Show more</Button>}
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
  const fullPath = path === '' ? entry.name : `${path}/${entry.name}`
  return (
    <li className="row">
      <div className="row-text">
        <p className="row-name">
          {entry.kind === 'folder' ? (
            <button type="button" className="link-button" onClick={() => onOpen(fullPath)}>
              {entry.name}/
            </button>
          ) : (
            entry.name
          )}
        </p>
        <p className="muted">
          {kindLabels[entry.kind] ?? showSize(entry.size)} · {showDayTime(entry.changedAt)}
        </p>
      </div>
      {entry.kind === 'file' && (
        <a className="button plain" href={filePath(fullPath, point)} download>
          Download<span className="visually-hidden"> {entry.name}</span>
        </a>
      )}
    </li>
  )
}

const kindLabels: Partial<Record<Entry['kind'], string>> = {
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
