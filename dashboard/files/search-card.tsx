import { useEffect, useRef, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Loading } from '../components/notice.tsx'
import { shownName } from '../components/shown-name.ts'
import { TextField } from '../components/text-field.tsx'
import { showCount, showDayTime } from '../format.ts'
import { useSearchState } from '../router.tsx'
import { filesTexts } from '../texts/files.ts'
import { kindText, moveFocus } from './file-browser.tsx'
import { useSearch } from './use-folder.ts'
import { folderOf } from './volume.ts'
import { WorkerNote } from './worker-note.tsx'

/** A pause in typing after which the search runs, ms. */
const pauseMs = 400

export function SearchCard({ onFolder, onFile }: { onFolder: (path: string) => void; onFile: (path: string) => void }) {
  const [text, setText] = useSearchState<string>('find', '')
  const [typed, setTyped] = useState(text)
  const list = useRef<HTMLUListElement>(null)
  const { entries, problem, reload, more, busy } = useSearch(text)
  const t = filesTexts
  useEffect(() => {
    const timer = setTimeout(() => typed !== text && setText(typed, { replace: true }), pauseMs)
    return () => clearTimeout(timer)
  }, [typed, text, setText])
  return (
    <search className="card file-search">
      <TextField
        label={t.search}
        type="search"
        dir="auto"
        maxLength={255}
        placeholder={t.searchHint}
        value={typed}
        onText={setTyped}
      />
      <WorkerNote busy={busy} />
      {text !== '' && !entries && <Loading problem={problem} retry={reload} />}
      {text !== '' && entries && (
        <>
          <p className="muted" role="status">
            {t.found(showCount(entries.length))}
          </p>
          <ul className="rows" ref={list} onKeyDown={(event) => moveFocus(event, list.current, null)}>
            {entries.map(({ path, name, kind, size, changedAt }) => (
              <li key={path} className="row file-row">
                <div className="row-text">
                  <p className="row-name">
                    <button
                      type="button"
                      className="link-button"
                      data-name
                      onClick={() =>
                        kind === 'folder' ? onFolder(path) : kind === 'file' ? onFile(path) : onFolder(folderOf(path))
                      }
                    >
                      <bdi>{shownName(name)}</bdi>
                    </button>
                  </p>
                  <p className="muted">
                    <bdi>{shownName(folderOf(path))}</bdi> · {kindText({ kind, size })} · {showDayTime(changedAt)}
                  </p>
                </div>
              </li>
            ))}
          </ul>
          {more && (
            <Button busy={busy} onClick={more}>
              {t.lookFurther}
            </Button>
          )}
        </>
      )}
    </search>
  )
}
