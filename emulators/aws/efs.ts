import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import { openState } from '../kit/state-file.ts'
import {
  ACCOUNT,
  AwsError,
  type AwsRequest,
  fingerprint,
  jsonResponse,
  parse,
  parseJson,
  type Service,
  upperTags,
} from './protocols.ts'

/** At most four levels, none beginning with a dot, none of the characters EFS refuses. */
const ROOT_PATH = /^(\/|(\/(?!\.)[^$#<>;`|&?{}^*/\n]+){1,4})$/

const posixUser = z.object({
  Uid: z.number().int().min(0),
  Gid: z.number().int().min(0),
  SecondaryGids: z.array(z.number().int()).optional(),
})
const rootDirectory = z.object({
  Path: z.string().regex(ROOT_PATH, 'is not a path an access point can have').default('/'),
  CreationInfo: z
    .object({ OwnerUid: z.number(), OwnerGid: z.number(), Permissions: z.string().regex(/^[0-7]{3,4}$/) })
    .optional(),
})
const create = z.object({
  ClientToken: z.string().min(1).max(64),
  FileSystemId: z.string(),
  Tags: upperTags.default([]),
  PosixUser: posixUser.optional(),
  RootDirectory: rootDirectory.default({ Path: '/' }),
})
const accessPoint = create.extend({ AccessPointId: z.string(), fingerprint: z.string() })
type AccessPoint = z.infer<typeof accessPoint>

export interface FileSystems {
  service: Service
  /** The tags of an access point; empty if it does not exist. */
  tags(accessPointId: string): AccessPoint['Tags']
  /** Where an access point's root is, relative to the file system, and whether a mount may create it. */
  root(fileSystemId: string, accessPointId: string): { path: string; create: boolean } | undefined
}

/** EFS: access points and their file systems. `known` limits which file systems exist; without it any id does. */
export function startFileSystems(options: { file: string; region: string; known: string[] | undefined }): FileSystems {
  const state = openState(options.file, z.record(z.string(), accessPoint), {})
  const arn = (kind: string, id: string) => `arn:aws:elasticfilesystem:${options.region}:${ACCOUNT}:${kind}/${id}`

  function describe({ fingerprint: _, ...point }: AccessPoint) {
    const name = point.Tags.find(({ Key }) => Key === 'Name')?.Value
    return {
      ...point,
      ...(name === undefined ? {} : { Name: name }),
      AccessPointArn: arn('access-point', point.AccessPointId),
      OwnerId: ACCOUNT,
      LifeCycleState: 'available',
    }
  }

  /** File systems may be named by id or ARN, as access points may. */
  const idOf = (text: string) => text.split('/').at(-1) ?? text

  function fileSystem(text: string): string {
    const id = idOf(text)
    if (options.known && !options.known.includes(id))
      throw new AwsError('FileSystemNotFound', `File system '${id}' does not exist.`, 404)
    return id
  }

  function find(id: string): AccessPoint {
    const point = state.value[idOf(id)]
    if (!point) throw new AwsError('AccessPointNotFound', `Access point ${id} does not exist.`, 404)
    return point
  }

  function createAccessPoint({ body }: AwsRequest) {
    const request = parse(create, parseJson(body, 'BadRequest'), 'BadRequest')
    request.FileSystemId = fileSystem(request.FileSystemId)
    const print = fingerprint(request)
    const same = Object.values(state.value).find(({ ClientToken }) => ClientToken === request.ClientToken)
    if (same && same.fingerprint !== print)
      throw new AwsError('AccessPointAlreadyExists', 'The client token belongs to another access point.', 409, {
        AccessPointId: same.AccessPointId,
      })
    if (same) return jsonResponse(200, describe(same))
    const point = {
      ...request,
      AccessPointId: `fsap-${randomBytes(9).toString('hex').slice(0, 17)}`,
      fingerprint: print,
    }
    state.value[point.AccessPointId] = point
    state.save()
    return jsonResponse(200, { ...describe(point), LifeCycleState: 'creating' })
  }

  function describeAccessPoints({ query }: AwsRequest) {
    const [id, ofFileSystem] = [query.get('AccessPointId'), query.get('FileSystemId')]
    if (id && ofFileSystem) throw new AwsError('BadRequest', 'AccessPointId and FileSystemId exclude each other.')
    const all = id ? [find(id)] : Object.values(state.value)
    const wanted = ofFileSystem ? all.filter((point) => point.FileSystemId === fileSystem(ofFileSystem)) : all
    const page = paginate(wanted, query)
    return jsonResponse(200, { AccessPoints: page.items.map(describe), ...page.next })
  }

  function describeFileSystems({ query }: AwsRequest) {
    const named = query.get('FileSystemId')
    const ids = named ? [fileSystem(named)] : (options.known ?? [])
    const points = Object.values(state.value)
    return jsonResponse(200, {
      FileSystems: ids.map((FileSystemId) => ({
        FileSystemId,
        FileSystemArn: arn('file-system', FileSystemId),
        OwnerId: ACCOUNT,
        CreationToken: FileSystemId,
        CreationTime: 0,
        LifeCycleState: 'available',
        NumberOfMountTargets: 1,
        SizeInBytes: { Value: 6144 * (1 + points.filter((point) => point.FileSystemId === FileSystemId).length) },
        PerformanceMode: 'generalPurpose',
        Encrypted: true,
        ThroughputMode: 'elastic',
        Tags: [],
      })),
    })
  }

  return {
    tags: (id) => state.value[idOf(id)]?.Tags ?? [],
    root(fileSystemId, accessPointId) {
      const point = state.value[accessPointId]
      if (point?.FileSystemId !== fileSystemId) return undefined
      const { Path, CreationInfo } = point.RootDirectory
      return { path: Path, create: Path === '/' || CreationInfo !== undefined }
    },
    async service(call) {
      const id = /^\/2015-02-01\/access-points\/([^/]+)$/.exec(call.path)?.[1]
      const route = `${call.method} ${id ? '/2015-02-01/access-points/{id}' : call.path}`
      switch (route) {
        case 'POST /2015-02-01/access-points':
          return createAccessPoint(call)
        case 'GET /2015-02-01/access-points':
          return describeAccessPoints(call)
        case 'GET /2015-02-01/file-systems':
          return describeFileSystems(call)
        case 'DELETE /2015-02-01/access-points/{id}': {
          delete state.value[find(decodeURIComponent(id ?? '')).AccessPointId]
          state.save()
          return jsonResponse(204)
        }
        default:
          throw new AwsError('UnknownOperationException', `${call.method} ${call.path} is not known here.`, 404)
      }
    },
  }
}

function paginate<T>(items: T[], query: URLSearchParams): { items: T[]; next: { NextToken?: string } } {
  const start = Number(query.get('NextToken') ?? 0)
  const size = Number(query.get('MaxResults') ?? 100)
  if (!Number.isInteger(start) || !Number.isInteger(size) || start < 0 || size < 1)
    throw new AwsError('BadRequest', 'NextToken or MaxResults is not valid.')
  const end = start + size
  return { items: items.slice(start, end), next: end < items.length ? { NextToken: String(end) } : {} }
}
