import * as z from 'zod'
import { filesTask } from '../../domain/files/task-view.ts'

/** The parts of operations that start a task on the volume. */
export const volumeTask = {
  creates: true,
  auth: 'user',
  scope: 'api:instance',
  output: z.object({ task: filesTask }),
  errors: ['not-found', 'conflict'],
  uses: { bus: 'write', instances: 'read', tasks: 'write' },
  commits: true,
} as const
