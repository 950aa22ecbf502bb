import { type Access, mergeAccess } from '../../app/ports.ts'
import { authenticationUses } from './authenticate.ts'
import type { AnyJob } from './job.ts'
import type { AnyOperation } from './operation.ts'
import type { AnySocketRoutes } from './socket.ts'

/** One Lambda: a folder of operations, or of jobs. */
export interface Area {
  name: string
  operations: readonly AnyOperation[]
  jobs: readonly AnyJob[]
  /** Operations of other areas that those of this one run: its function gets their ports too. */
  tools: readonly AnyOperation[]
  /** The handlers of the WebSocket API's routes. */
  socket?: AnySocketRoutes
  /** Paths whose errors have a shape of their own, including paths that no operation serves. */
  unserved?: Unserved
  /** All routes of the area stream, or none does. */
  stream: boolean
  timeoutSeconds: number
  memoryMiB: number
  /**
   * How many of the account's concurrent executions are this function's alone: it always has them, and never more. For
   * one that is kept open by anybody who likes, and for one that must not wait for those.
   */
  reservedConcurrency?: number
}

/** The error shape of paths that no operation of an area serves. */
export interface Unserved {
  /** Each ends in `{path+}`: the area's function answers whatever lies below and nothing else serves. */
  paths: readonly `/${string}/{path+}`[]
  errorAs: NonNullable<AnyOperation['errorAs']>
}

export const area = (declared: Pick<Area, 'name'> & Partial<Area>): Area => ({
  operations: [],
  jobs: [],
  tools: [],
  stream: false,
  timeoutSeconds: 29,
  memoryMiB: 512,
  ...declared,
})

/**
 * The ports of an area's function: what its operations, jobs and routes use, and what authenticating their callers
 * uses.
 */
export function accessOf({ operations, jobs, tools, socket }: Pick<Area, 'operations' | 'jobs' | 'tools' | 'socket'>) {
  const admitting = socket ? [...operations, ...Object.values(socket.connect)] : operations
  const used: Access[] = [...admitting, ...jobs, ...tools, ...(socket ? [socket] : [])].map(({ uses }) => uses)
  return mergeAccess([...admitting.map(authenticationUses), ...used])
}
