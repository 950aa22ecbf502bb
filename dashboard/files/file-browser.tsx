import { type KeyboardEvent, type ReactNode, useRef } from 'react'
import type { Entry } from '../../domain/files/entry.ts'
import { Button } from '../components/button.tsx'
import { Loading } from '../components/notice.tsx'
import { shownName } from '../components/shown-name.ts'
import { filePath } from '../data/operations.ts'
import { showDayTime, showSize } from '../format.ts'
import { filesTexts } from '../texts/files.ts'
import { texts } from '../texts/index.ts'
import { EntryIcon } from './entry-icon.tsx'
import { useFolder } from './use-folder.ts'
import { folderOf, inFolder } from './volume.ts'

interface Props {
  path: string
  onFolder: (path: string) => void
  /** Shows a file; without it, files can only be downloaded. */
  onFile?: (path: string) => void
  file?: string | null
  asleep?: boolean
  point?: string | null
  children?: ReactNode
}

/** One folder of the volume, or of a restore point. Arrow keys move through it. */
export function FileBrowser({ path, onFolder, onFile, file = null, asleep = false, point = null, children }: Props) {
  const { entries, asOf, problem, reload, more, busy } = useFolder(path, point)
  const list = useRef<HTMLUListElement>(null)
  const title = `folder-title-${point ?? 'now'}`
  const t = filesTexts
  const aboutTop = path !== '' && t.topFolders[path]
  return (
    <section className="card file-tree" aria-labelledby={title}>
      <div className="card-head">
        <h2 id={title}>{point ? t.inPoint : t.onVolume}</h2>
        <Button onClick={reload}>{texts.common.reload}</Button>
      </div>
      <nav aria-label={t.crumbs} className="crumbs">
        {crumbs(path).map(({ name, to }) => (
          <button
            key={to}
            type="button"
            className="link-button"
            onClick={() => onFolder(to)}
            aria-current={to === path ? 'page' : undefined}
          >
            <bdi>{shownName(name)}</bdi>
          </button>
        ))}
      </nav>
      {aboutTop && <p className="muted">{aboutTop}</p>}
      {children}
      {asOf && (
        <p className="muted" role="status">
          {asleep ? `${t.paused} ` : ''}
          {t.unchanged(showDayTime(asOf))}
        </p>
      )}
      {asleep && !entries && !problem && <p className="muted">{t.workerStarts}</p>}
      {!entries && <Loading problem={problem} retry={reload} />}
      {entries?.length === 0 && <p className="muted">{t.empty}</p>}
      {entries && entries.length > 0 && (
        <ul
          className="rows"
          ref={list}
          aria-label={path || t.top}
          onKeyDown={(event) => moveFocus(event, list.current, path === '' ? null : () => onFolder(folderOf(path)))}
        >
          {foldersFirst(entries).map((entry) => (
            <EntryRow
              key={entry.name}
              entry={entry}
              path={inFolder(path, entry.name)}
              point={point}
              isShown={file === inFolder(path, entry.name)}
              onFolder={onFolder}
              onFile={onFile}
            />
          ))}
        </ul>
      )}
      {more && (
        <Button busy={busy} onClick={more}>
          {t.showMore}
        </Button>
      )}
    </section>
  )
}

/** Arrow keys, Home and End move among the names; left goes up, right opens. */
export function moveFocus(event: KeyboardEvent, list: HTMLElement | null, up: (() => void) | null): void {
  const names = [...(list?.querySelectorAll<HTMLElement>('[data-name]') ?? [])]
  const at = names.indexOf(document.activeElement as HTMLElement) // safe because it is only looked for
  if (at < 0 || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: names.length - 1 }[event.key]
  if (to !== undefined) names[to]?.focus()
  else if (event.key === 'ArrowRight') names[at]?.click()
  else if (event.key === 'ArrowLeft' && up) up()
  else return
  event.preventDefault()
}

interface RowProps {
  entry: Entry
  path: string
  point: string | null
  isShown: boolean
  onFolder: (path: string) => void
  onFile: ((path: string) => void) | undefined
}

function EntryRow({ entry, path, point, isShown, onFolder, onFile }: RowProps) {
  const { name, kind } = entry
  const open = kind === 'folder' ? onFolder : kind === 'file' ? onFile : undefined
  const about = path === name && kind === 'folder' ? filesTexts.topFolders[name] : undefined
  return (
    <li className={isShown ? 'row file-row shown' : 'row file-row'}>
      <EntryIcon name={name} kind={kind} />
      <div className="row-text">
        <p className="row-name">
          {open ? (
            <button
              type="button"
              className="link-button"
              data-name
              aria-current={isShown || undefined}
              onClick={() => open(path)}
            >
              <bdi>{shownName(name)}</bdi>
              {kind === 'folder' ? '/' : ''}
            </button>
          ) : (
            <bdi>{shownName(name)}</bdi>
          )}
        </p>
        {about && <p className="muted">{about}</p>}
      </div>
      <p className="muted file-facts">
        {kindText(entry)} · {showDayTime(entry.changedAt)}
      </p>
      {kind === 'file' && (
        <a className="button plain" href={filePath(path, point)} download>
          {filesTexts.download}
          <span className="visually-hidden"> {shownName(name)}</span>
        </a>
      )}
    </li>
  )
}

export const kindText = ({ kind, size }: Pick<Entry, 'kind' | 'size'>): string => {
  if (kind === 'file') return showSize(size)
  return kind === 'folder' ? filesTexts.folder : kind === 'link' ? filesTexts.link : filesTexts.other
}

const foldersFirst = (entries: Entry[]): Entry[] => [
  ...entries.filter(({ kind }) => kind === 'folder'),
  ...entries.filter(({ kind }) => kind !== 'folder'),
]

function crumbs(path: string): { name: string; to: string }[] {
  const parts = path === '' ? [] : path.split('/')
  const inner = parts.map((name, i) => ({ name, to: parts.slice(0, i + 1).join('/') }))
  return [{ name: filesTexts.top, to: '' }, ...inner]
}
