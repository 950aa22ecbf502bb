import type { EntryPage } from '../../domain/files/entry.ts'
import type { RestorePoint } from '../../domain/files/point.ts'
import type { FilesTask } from '../../domain/files/task-view.ts'
import { ApiError, call } from '../client.ts'

export type Folder = EntryPage & { asOf?: string | null }

const query = (fields: Record<string, string | null>): string =>
  new URLSearchParams(
    Object.entries(fields).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  ).toString()

/** A keeper takes up to a minute to come in the cloud, longer than one request may wait. */
const tries = 5

async function whileFetched<T>(ask: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await ask()
    } catch (thrown) {
      if (!(thrown instanceof ApiError) || thrown.code !== 'conflict' || tried === tries) throw thrown
      await new Promise((resolve) => setTimeout(resolve, 2_000))
    }
  }
}

export const filesApi = {
  list: (path: string, point: string | null, after: string | null) =>
    whileFetched(() =>
      call<Folder>(
        'GET',
        `${point ? `/instance/restore-points/${point}/files` : '/instance/files'}?${query({ path, after })}`,
      ),
    ),
  points: () => call<{ restorePoints: RestorePoint[] }>('GET', '/instance/restore-points'),
  keep: () => call<{ restorePoint: RestorePoint }>('POST', '/instance/restore-points', {}),
  restore: (id: string) => call<{ task: FilesTask }>('POST', `/instance/restore-points/${id}/restore`, {}),
  export: () => call<{ task: FilesTask }>('POST', '/instance/export', {}),
  task: (id: string) => call<{ task: FilesTask }>('GET', `/instance/tasks/${id}`),
}

/** Where a file is fetched; the answer is an attachment, so the browser saves it. */
export const fileAddress = (path: string, point: string | null): string =>
  `/api/instance/files/${path.split('/').map(encodeURIComponent).join('/')}${point ? `?${query({ point })}` : ''}`

/** Asks until a task has ended. @throws Error in words when it failed */
export async function untilDone(id: string): Promise<FilesTask> {
  for (;;) {
    const { task } = await filesApi.task(id)
    if (task.state !== 'open') return task
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
}

const units = ['bytes', 'KB', 'MB', 'GB', 'TB']

export function showSize(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1)
  const value = bytes / 1000 ** power
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`
}
