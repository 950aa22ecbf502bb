import type { Entry } from '../../domain/files/entry.ts'
import { FileIcon, FilesIcon } from '../components/icons.tsx'
import { ArchiveIcon, CodeIcon, ImageIcon, LinkIcon, TableIcon } from './icons.tsx'

/** Icons of files by the ends of their names; other files have a plain sheet. */
const icons = [
  [/\.(png|jpe?g|gif|webp|avif|svg|heic|ico)$/i, ImageIcon],
  [/\.(csv|tsv|xlsx?|ods|parquet)$/i, TableIcon],
  [/\.(m?[jt]sx?|py|rb|go|rs|java|c|cc|cpp|h|sh|css|html?|json|ya?ml|toml|sql)$/i, CodeIcon],
  [/\.(zip|tar|t?gz|zst|xz|bz2|7z|rar)$/i, ArchiveIcon],
] as const

export function EntryIcon({ name, kind }: Pick<Entry, 'name' | 'kind'>) {
  const Icon =
    kind === 'folder'
      ? FilesIcon
      : kind === 'link'
        ? LinkIcon
        : (icons.find(([end]) => end.test(name))?.[1] ?? FileIcon)
  return (
    <span className={`file-icon ${kind}`} aria-hidden="true">
      <Icon />
    </span>
  )
}
