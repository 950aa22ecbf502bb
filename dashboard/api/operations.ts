/** What the pages do in more than one request, or by an address of their own. */
import { BerthError } from '../../clients/typescript/client.ts'
import type { AccountExport, FilesTask } from '../../clients/typescript/operations.ts'
import type { EntryPage } from '../../domain/files/entry.ts'
import { berth } from './client.ts'

export type Folder = EntryPage & { asOf?: string | null }

/** Downloaded by the browser itself, so that they land where downloads do. */
export const statementPath = '/api/wallet/statement'
export const filePath = (path: string, point: string | null): string =>
  `/api/instance/files/${path.split('/').map(encodeURIComponent).join('/')}${point ? `?point=${point}` : ''}`

/** Everything in one document: the first part with the lines of those that follow. */
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

async function retryConflicts<T>(request: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await request()
    } catch (thrown) {
      if (!(thrown instanceof BerthError) || thrown.code !== 'conflict' || tries === maxTries) throw thrown
      await new Promise((resolve) => setTimeout(resolve, 2_000))
    }
  }
}

/** One folder, of the volume or of a restore point. */
export const readFolder = (path: string, point: string | null, after = ''): Promise<Folder> => {
  const page = { path, ...(after && { after }) }
  return retryConflicts<Folder>(() =>
    point ? berth.listRestorePointFiles({ id: point, ...page }) : berth.listFiles(page),
  )
}

/** Reads a task until it has ended, well or not. */
export async function untilTaskEnds(id: string): Promise<FilesTask> {
  for (;;) {
    const { task } = await berth.getFilesTask({ id })
    if (task.state !== 'open') return task
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
}
