import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import { openState, type StateFile } from '../kit/state-file.ts'
import {
  ACCOUNT,
  AwsError,
  type AwsRequest,
  type AwsResponse,
  fingerprint,
  idOf,
  jsonResponse,
  parse,
  parseJson,
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

interface FileSystemOptions {
  file: string
  region: string
  /** The file systems that exist; undefined: any. */
  known: string[] | undefined
}

/** EFS: access points and their file systems. */
export class FileSystems {
  readonly #options: FileSystemOptions
  readonly #state: StateFile<Record<string, AccessPoint>>

  constructor(options: FileSystemOptions) {
    this.#options = options
    this.#state = openState(options.file, z.record(z.string(), accessPoint), {})
  }

  /** The tags of an access point; empty if it does not exist. */
  tags(accessPointId: string): AccessPoint['Tags'] {
    return this.#state.value[idOf(accessPointId)]?.Tags ?? []
  }

  /** Where an access point's root is, relative to the file system, and whether a mount may create it. */
  root(fileSystemId: string, accessPointId: string): { path: string; create: boolean } | undefined {
    const point = this.#state.value[accessPointId]
    if (point?.FileSystemId !== fileSystemId) return undefined
    const { Path, CreationInfo } = point.RootDirectory
    return { path: Path, create: Path === '/' || CreationInfo !== undefined }
  }

  async answer(call: AwsRequest): Promise<AwsResponse> {
    const id = /^\/2015-02-01\/access-points\/([^/]+)$/.exec(call.path)?.[1]
    const route = `${call.method} ${id ? '/2015-02-01/access-points/{id}' : call.path}`
    switch (route) {
      case 'POST /2015-02-01/access-points':
        return this.#createAccessPoint(call)
      case 'GET /2015-02-01/access-points':
        return this.#describeAccessPoints(call)
      case 'GET /2015-02-01/file-systems':
        return this.#describeFileSystems(call)
      case 'DELETE /2015-02-01/access-points/{id}': {
        delete this.#state.value[this.#find(decodeURIComponent(id ?? '')).AccessPointId]
        this.#state.save()
        return jsonResponse(204)
      }
      default:
        throw new AwsError('UnknownOperationException', `${call.method} ${call.path} is not known here.`, 404)
    }
  }

  #createAccessPoint({ body }: AwsRequest): AwsResponse {
    const request = parse(create, parseJson(body, 'BadRequest'), 'BadRequest')
    request.FileSystemId = this.#fileSystem(request.FileSystemId)
    const print = fingerprint(request)
    const same = Object.values(this.#state.value).find(({ ClientToken }) => ClientToken === request.ClientToken)
    if (same && same.fingerprint !== print)
      throw new AwsError('AccessPointAlreadyExists', 'The client token belongs to another access point.', 409, {
        AccessPointId: same.AccessPointId,
      })
    if (same) return jsonResponse(200, this.#describe(same))
    const AccessPointId = `fsap-${randomBytes(9).toString('hex').slice(0, 17)}`
    const point = { ...request, AccessPointId, fingerprint: print }
    this.#state.value[AccessPointId] = point
    this.#state.save()
    return jsonResponse(200, { ...this.#describe(point), LifeCycleState: 'creating' })
  }

  #describeAccessPoints({ query }: AwsRequest): AwsResponse {
    const [id, ofFileSystem] = [query.get('AccessPointId'), query.get('FileSystemId')]
    if (id && ofFileSystem) throw new AwsError('BadRequest', 'AccessPointId and FileSystemId exclude each other.')
    const all = id ? [this.#find(id)] : Object.values(this.#state.value)
    const wanted = ofFileSystem ? all.filter((point) => point.FileSystemId === this.#fileSystem(ofFileSystem)) : all
    const page = paginate(wanted, query)
    return jsonResponse(200, { AccessPoints: page.items.map((point) => this.#describe(point)), ...page.next })
  }

  #describeFileSystems({ query }: AwsRequest): AwsResponse {
    const named = query.get('FileSystemId')
    const ids = named ? [this.#fileSystem(named)] : (this.#options.known ?? [])
    const points = Object.values(this.#state.value)
    return jsonResponse(200, {
      FileSystems: ids.map((FileSystemId) => ({
        FileSystemId,
        FileSystemArn: this.#arn('file-system', FileSystemId),
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

  #describe({ fingerprint: _, ...point }: AccessPoint): object {
    const name = point.Tags.find(({ Key }) => Key === 'Name')?.Value
    return {
      ...point,
      ...(name === undefined ? {} : { Name: name }),
      AccessPointArn: this.#arn('access-point', point.AccessPointId),
      OwnerId: ACCOUNT,
      LifeCycleState: 'available',
    }
  }

  #fileSystem(named: string): string {
    const id = idOf(named)
    const { known } = this.#options
    if (!known || known.includes(id)) return id
    throw new AwsError('FileSystemNotFound', `File system '${id}' does not exist.`, 404)
  }

  #find(id: string): AccessPoint {
    const point = this.#state.value[idOf(id)]
    if (!point) throw new AwsError('AccessPointNotFound', `Access point ${id} does not exist.`, 404)
    return point
  }

  #arn(kind: string, id: string): string {
    return `arn:aws:elasticfilesystem:${this.#options.region}:${ACCOUNT}:${kind}/${id}`
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
