/** Actions that take several requests, or an address of their own. */

import { BerthError } from '../../clients/typescript/client.ts'
import type { AccountExport, FilesTask } from '../../clients/typescript/operations.ts'
import type { EntryPage } from '../../domain/files/entry.ts'
import { maxStatementLines } from '../../domain/wallet/usage-limits.ts'
import { save } from '../components/save.ts'
import { apiRoot } from '../viewing.ts'
import { berth } from './client.ts'

export type Folder = EntryPage & { asOf?: string | null }

/** Saves the ledger of a range of days as one file, read page by page. */
export async function downloadStatement({ from, to }: { from: string; to: string }): Promise<void> {
  const pages: string[] = []
  for (let after: string | undefined; ; ) {
    const page = await berth.getWalletStatement({ from, to, limit: maxStatementLines, ...(after && { after }) })
    pages.push(page)
    const lines = page.split('\r\n').slice(after ? 0 : 1, -1)
    // Every line begins with its id, which never needs quotes.
    after = lines.at(-1)?.split(',')[0]
    if (lines.length < maxStatementLines || !after) break
  }
  save('statement.csv', pages, 'text/csv')
}

/** For downloads by the browser itself, which land in its folder for downloads. */
export const filePath = (path: string, point: string | null): string =>
  `${apiRoot}/instance/files/${path.split('/').map(encodeURIComponent).join('/')}${point ? `?point=${point}` : ''}`

export async function exportAccount(): Promise<AccountExport> {
  const whole = await berth.exportAccount()
  while (whole.nextCursor) {
    const part = await berth.exportAccount({ cursor: whole.nextCursor })
    for (const name of ['transactions', 'messages', 'audit', 'personas'] as const)
      (whole[name] as object[]).push(...part[name]) // safe because a list of one name has lines of one kind
    whole.nextCursor = part.nextCursor
  }
  return whole
}

/** A volume worker takes up to a minute to start in the cloud, longer than one request may wait. */
const maxTries = 5

export async function retryConflicts<T>(request: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await request()
    } catch (thrown) {
      if (!(thrown instanceof BerthError) || thrown.code !== 'conflict' || tries === maxTries) throw thrown
      await new Promise((resolve) => setTimeout(resolve, 2_000))
    }
  }
}

export const readFolder = (path: string, point: string | null, after = ''): Promise<Folder> => {
  const page = { path, ...(after && { after }) }
  return retryConflicts<Folder>(() =>
    point ? berth.listRestorePointFiles({ id: point, ...page }) : berth.listFiles(page),
  )
}

export async function untilTaskEnds(id: string): Promise<FilesTask> {
  for (;;) {
    const { task } = await berth.getFilesTask({ id })
    if (task.state !== 'open') return task
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
}
