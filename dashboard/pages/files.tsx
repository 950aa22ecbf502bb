import { useAccount } from '../account-state.tsx'
import { Empty } from '../components/empty.tsx'
import { Loading } from '../components/notice.tsx'
import { ExportCard } from '../files/export-card.tsx'
import { FileBrowser } from '../files/file-browser.tsx'
import { FileView } from '../files/file-view.tsx'
import { FolderActions } from '../files/folder-actions.tsx'
import { RestorePointsCard } from '../files/restore-points-card.tsx'
import { SearchCard } from '../files/search-card.tsx'
import { UndoCard } from '../files/undo-card.tsx'
import { folderOf } from '../files/volume.ts'
import { useSearchState } from '../router.tsx'
import { filesTexts } from '../texts/files.ts'
import '../styles/files.css'

/** Folder, file and search are in the address. */
export function FilesPage() {
  const { status, problem, reload } = useAccount()
  const [at, setAt] = useSearchState<string>('at', '')
  const instance = status?.instance
  const asleep = instance?.state === 'paused'
  const served = asleep || instance?.state === 'running'
  const t = filesTexts
  // A path that ends in a slash, or the top, is a folder; any other is a file in one.
  const isFile = at !== '' && !at.endsWith('/')
  const folder = isFile ? folderOf(at) : at.slice(0, -1)
  const openFolder = (path: string) => setAt(path === '' ? '' : `${path}/`)
  return (
    <>
      <h1>{t.title}</h1>
      <p className="muted page-lead">{t.lead}</p>
      {!status && <Loading problem={problem} retry={reload} />}
      {status && !instance && <Empty text={t.none} hint={t.noneHint} />}
      {instance && (
        <>
          <SearchCard onFolder={openFolder} onFile={setAt} />
          <div className={isFile ? 'files-columns open' : 'files-columns'}>
            <FileBrowser
              key={instance.state}
              path={folder}
              file={isFile ? at : null}
              asleep={asleep}
              onFolder={openFolder}
              onFile={setAt}
            >
              <FolderActions path={folder} onFolder={openFolder} onFile={setAt} />
            </FileBrowser>
            {isFile && <FileView key={at} path={at} onShow={(path) => (path ? setAt(path) : openFolder(folder))} />}
          </div>
          <UndoCard />
          <RestorePointsCard served={served} asleep={asleep} />
          <ExportCard served={served} />
        </>
      )}
    </>
  )
}
