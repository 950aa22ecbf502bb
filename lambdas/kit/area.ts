import { type Access, mergeAccess } from './access.ts'
import { authenticationUses } from './authenticate.ts'
import type { AnyJob } from './job.ts'
import type { AnyOperation } from './operation.ts'
import type { Methods } from './request.ts'
import type { AnySocketRoutes } from './socket.ts'

/** One Lambda: a folder of operations, or of jobs. */
export interface Area {
  /** Also the name of its folder. */
  name: string
  /** The tag of its operations in the API's document: the name of the area whose function they were split from. */
  tag?: string
  /** A sentence for customers in the API's document; empty for an area without operations. */
  about: string
  operations: readonly AnyOperation[]
  /** Those of the operations that are in another folder, by the folder's name. */
  folders: Readonly<Record<string, readonly AnyOperation[]>>
  jobs: readonly AnyJob[]
  /** Operations of other areas that this area runs; its function gets their ports, too. */
  tools: readonly AnyOperation[]
  /** The methods of its paths that other areas serve; the build adds them. */
  elsewhere: Methods
  /** The handlers of the WebSocket API's routes. */
  socket?: AnySocketRoutes
  /** Paths whose errors have their own shape, including paths that no operation serves. */
  unserved?: Unserved
  /** All routes of the area stream, or none does. */
  stream: boolean
  timeoutSeconds: number
  memoryMiB: number
  /**
   * Reserved concurrent executions, which are also the function's limit: for functions that anybody may keep open, and
   * for those that must not wait for them.
   */
  reservedConcurrency?: number
}

export interface Unserved {
  /** Each ends in `{path+}`: the area's function answers all paths below that nothing else serves. */
  paths: readonly `/${string}/{path+}`[]
  errorAs: NonNullable<AnyOperation['errorAs']>
}

export const area = (declared: Pick<Area, 'name'> & Partial<Area>): Area => ({
  about: '',
  operations: [],
  folders: {},
  jobs: [],
  tools: [],
  elsewhere: {},
  stream: false,
  timeoutSeconds: 29,
  memoryMiB: 512,
  ...declared,
})

/** Callers wait for its function; only events start the others. */
export const isCalled = ({ operations, socket }: Pick<Area, 'operations' | 'socket'>): boolean =>
  operations.length > 0 || socket !== undefined

export const folderOf = ({ name, folders }: Area, operation: AnyOperation): string =>
  Object.entries(folders).find(([, operations]) => operations.includes(operation))?.[0] ?? name

/** The ports that an area's function uses, including those for authenticating its callers. */
export function accessOf({ operations, jobs, tools, socket }: Pick<Area, 'operations' | 'jobs' | 'tools' | 'socket'>) {
  const admitting = socket ? [...operations, ...Object.values(socket.connect)] : operations
  const used: Access[] = [...admitting, ...jobs, ...tools, ...(socket ? [socket] : [])].map(({ uses }) => uses)
  return mergeAccess([...admitting.map(authenticationUses), ...used])
}
