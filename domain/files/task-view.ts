import * as z from 'zod'
import type { TaskState } from '../agent/task.ts'
import { fileSummary } from './entry.ts'

export const filesTask = z
  .object({
    id: z.string().meta({ example: 'tsk_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }),
    state: z.enum(['open', 'done', 'failed']),
    failure: z.string().nullable(),
    summary: fileSummary.nullable().meta({ description: 'The contents of an export, and the files left out.' }),
    files: z.int().nullable().meta({ description: 'Files written by a restore or an undone reply.' }),
    url: z
      .string()
      .nullable()
      .meta({ description: 'The download address of a finished export, valid for some minutes.' }),
  })
  .meta({ id: 'FilesTask' })
export type FilesTask = z.infer<typeof filesTask>

export const openTask = (id: string): FilesTask => ({
  id,
  state: 'open',
  failure: null,
  summary: null,
  files: null,
  url: null,
})

export function showTask(id: string, task: TaskState, url: string | null): FilesTask {
  if (task.state === 'open') return openTask(id)
  if (task.state === 'failed') return { ...openTask(id), state: 'failed', failure: task.failure.message }
  const { result } = task
  return {
    ...openTask(id),
    state: 'done',
    summary: 'summary' in result ? result.summary : null,
    files: result.kind === 'restore' || result.kind === 'undo-turn' ? result.files : null,
    url,
  }
}
