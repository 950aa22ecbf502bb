import { randomBytes, randomUUID } from 'node:crypto'
import * as z from 'zod'
import { findById } from '../kit/records.ts'
import { openState, type StateFile } from '../kit/state-file.ts'
import { ACCOUNT, AwsError, type AwsRequest, type AwsResponse, escapeXml, parse, upperTags } from './protocols.ts'

const role = z.object({
  RoleName: z.string(),
  RoleId: z.string(),
  Path: z.string(),
  Arn: z.string(),
  CreateDate: z.string(),
  AssumeRolePolicyDocument: z.string(),
  Description: z.string().optional(),
  MaxSessionDuration: z.number(),
  PermissionsBoundary: z.string().optional(),
  Tags: upperTags,
  policies: z.record(z.string(), z.string()),
})
type Role = z.infer<typeof role>

const named = z.object({ RoleName: z.string().regex(/^[\w+=,.@-]{1,64}$/, 'is not a role name') })
const ofPolicy = named.extend({ PolicyName: z.string().regex(/^[\w+=,.@-]{1,128}$/, 'is not a policy name') })
const withPolicy = ofPolicy.extend({ PolicyDocument: z.string().max(131_072) })
const tagged = named.extend({ Tags: upperTags.max(50) })
const creating = named.extend({
  AssumeRolePolicyDocument: z.string().max(131_072),
  Path: z
    .string()
    .regex(/^\/([!-~]+\/)?$/, 'is not a path')
    .default('/'),
  Description: z.string().max(1000).optional(),
  MaxSessionDuration: z.coerce.number().int().min(3600).max(43_200).default(3600),
  PermissionsBoundary: z.string().optional(),
  Tags: upperTags.max(50).default([]),
})

type RoleAction = (roles: Record<string, Role>, input: unknown) => object | undefined

/** IAM: roles and their inline policies, in the query protocol. authorization.ts decides about permissions. */
export class Roles {
  readonly #state: StateFile<Record<string, Role>>

  constructor(file: string) {
    this.#state = openState(file, z.record(z.string(), role), {})
  }

  /** With its inline policies, as JSON by name. */
  find(name: string): Role | undefined {
    return this.#state.value[name]
  }

  async answer({ body }: AwsRequest): Promise<AwsResponse> {
    const form = new URLSearchParams(body.toString('utf8'))
    const name = form.get('Action') ?? ''
    const action = findById(actions, name)
    if (!action)
      throw new AwsError('InvalidAction', `Could not find operation ${name} for version ${form.get('Version')}`)
    const output = action(this.#state.value, readQuery(form))
    if (!/^(Get|List)/.test(name)) this.#state.save()
    return {
      status: 200,
      headers: { 'content-type': 'text/xml' },
      body:
        `<${name}Response xmlns="https://iam.amazonaws.com/doc/2010-05-08/">` +
        (output ? `<${name}Result>${toXml(output)}</${name}Result>` : '') +
        `<ResponseMetadata><RequestId>${randomUUID()}</RequestId></ResponseMetadata></${name}Response>`,
    }
  }
}

const actions: Record<string, RoleAction> = {
  CreateRole(roles, input) {
    const request = parse(creating, input, 'ValidationError')
    if (roles[request.RoleName])
      throw new AwsError('EntityAlreadyExists', `Role with name ${request.RoleName} already exists.`, 409)
    checkDocument(request.AssumeRolePolicyDocument)
    const created: Role = {
      ...request,
      RoleId: `AROA${randomBytes(9).toString('hex').slice(0, 17).toUpperCase()}`,
      Arn: `arn:aws:iam::${ACCOUNT}:role${request.Path}${request.RoleName}`,
      CreateDate: `${new Date().toISOString().slice(0, 19)}Z`,
      policies: {},
    }
    roles[created.RoleName] = created
    return { Role: describe(created) }
  },
  GetRole: (roles, input) => ({ Role: describe(roleOf(roles, parse(named, input, 'ValidationError'))) }),
  DeleteRole(roles, input) {
    const found = roleOf(roles, parse(named, input, 'ValidationError'))
    if (Object.keys(found.policies).length > 0)
      throw new AwsError('DeleteConflict', 'Cannot delete entity, must delete policies first.', 409)
    delete roles[found.RoleName]
    return undefined
  },
  PutRolePolicy(roles, input) {
    const request = parse(withPolicy, input, 'ValidationError')
    const found = roleOf(roles, request)
    checkDocument(request.PolicyDocument)
    found.policies[request.PolicyName] = request.PolicyDocument
    return undefined
  },
  GetRolePolicy(roles, input) {
    const request = parse(ofPolicy, input, 'ValidationError')
    const { RoleName, PolicyName } = request
    return { RoleName, PolicyName, PolicyDocument: encodeURIComponent(policyOf(roleOf(roles, request), PolicyName)) }
  },
  ListRolePolicies(roles, input) {
    const found = roleOf(roles, parse(named, input, 'ValidationError'))
    return { PolicyNames: Object.keys(found.policies).sort(), IsTruncated: false }
  },
  DeleteRolePolicy(roles, input) {
    const request = parse(ofPolicy, input, 'ValidationError')
    const found = roleOf(roles, request)
    policyOf(found, request.PolicyName)
    delete found.policies[request.PolicyName]
    return undefined
  },
  TagRole(roles, input) {
    const request = parse(tagged, input, 'ValidationError')
    const found = roleOf(roles, request)
    const fresh = new Set(request.Tags.map(({ Key }) => Key))
    found.Tags = [...found.Tags.filter(({ Key }) => !fresh.has(Key)), ...request.Tags]
    return undefined
  },
}

function roleOf(roles: Record<string, Role>, { RoleName }: { RoleName: string }): Role {
  const found = roles[RoleName]
  if (!found) throw new AwsError('NoSuchEntity', `The role with name ${RoleName} cannot be found.`, 404)
  return found
}

function policyOf(from: Role, name: string): string {
  const document = from.policies[name]
  if (document === undefined)
    throw new AwsError('NoSuchEntity', `The role policy with name ${name} cannot be found.`, 404)
  return document
}

function describe({ policies: _, PermissionsBoundary, AssumeRolePolicyDocument, ...rest }: Role): object {
  return {
    ...rest,
    AssumeRolePolicyDocument: encodeURIComponent(AssumeRolePolicyDocument),
    ...(PermissionsBoundary
      ? {
          PermissionsBoundary: { PermissionsBoundaryType: 'Policy', PermissionsBoundaryArn: PermissionsBoundary },
        }
      : {}),
  }
}

function checkDocument(document: string): void {
  try {
    const { Statement } = z.looseObject({ Statement: z.unknown() }).parse(JSON.parse(document))
    if (Statement) return
  } catch {}
  throw new AwsError('MalformedPolicyDocument', 'The policy document is not valid JSON with a Statement.')
}

/** `Tags.member.1.Key=a` → `{ Tags: [{ Key: 'a' }] }`: one level of lists is all these actions use. */
function readQuery(form: URLSearchParams): Record<string, unknown> {
  const input: Record<string, unknown> = {}
  const lists: Record<string, Record<string, Record<string, string>>> = {}
  for (const [key, value] of form) {
    const [, list, index, field] = /^(\w+)\.member\.(\d+)\.(\w+)$/.exec(key) ?? []
    if (list && index && field) {
      lists[list] = { ...lists[list], [index]: { ...lists[list]?.[index], [field]: value } }
    } else if (/^\w+$/.test(key) && value !== '') input[key] = value
  }
  for (const [name, items] of Object.entries(lists)) input[name] = Object.values(items)
  return input
}

function toXml(value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => `<member>${toXml(item)}</member>`).join('')
  if (value && typeof value === 'object')
    return Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .map(([name, inner]) => `<${name}>${toXml(inner)}</${name}>`)
      .join('')
  return escapeXml(String(value))
}
