import { randomBytes, randomUUID } from 'node:crypto'
import * as z from 'zod'
import { openState } from '../kit/state-file.ts'
import { ACCOUNT, AwsError, escapeXml, parse, type Service, upperTags } from './protocols.ts'

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

export interface Roles {
  service: Service
  /** With its inline policies, as JSON by name. */
  find(name: string): Role | undefined
}

/** IAM: roles and their inline policies, in the query protocol. authorization.ts decides about permissions. */
export function startRoles(options: { file: string }): Roles {
  const state = openState(options.file, z.record(z.string(), role), {})

  function find(RoleName: string): Role {
    const found = state.value[RoleName]
    if (!found) throw new AwsError('NoSuchEntity', `The role with name ${RoleName} cannot be found.`, 404)
    return found
  }

  const policyOf = (from: Role, name: string) => {
    const document = from.policies[name]
    if (document === undefined)
      throw new AwsError('NoSuchEntity', `The role policy with name ${name} cannot be found.`, 404)
    return document
  }

  const actions: Record<string, (input: unknown) => object | undefined> = {
    CreateRole(input) {
      const request = parse(creating, input, 'ValidationError')
      if (state.value[request.RoleName])
        throw new AwsError('EntityAlreadyExists', `Role with name ${request.RoleName} already exists.`, 409)
      checkDocument(request.AssumeRolePolicyDocument)
      const created: Role = {
        ...request,
        RoleId: `AROA${randomBytes(9).toString('hex').slice(0, 17).toUpperCase()}`,
        Arn: `arn:aws:iam::${ACCOUNT}:role${request.Path}${request.RoleName}`,
        CreateDate: `${new Date().toISOString().slice(0, 19)}Z`,
        policies: {},
      }
      state.value[created.RoleName] = created
      return { Role: describe(created) }
    },
    GetRole: (input) => ({ Role: describe(find(parse(named, input, 'ValidationError').RoleName)) }),
    DeleteRole(input) {
      const found = find(parse(named, input, 'ValidationError').RoleName)
      if (Object.keys(found.policies).length > 0)
        throw new AwsError('DeleteConflict', 'Cannot delete entity, must delete policies first.', 409)
      delete state.value[found.RoleName]
      return undefined
    },
    PutRolePolicy(input) {
      const { RoleName, PolicyName, PolicyDocument } = parse(withPolicy, input, 'ValidationError')
      const found = find(RoleName)
      checkDocument(PolicyDocument)
      found.policies[PolicyName] = PolicyDocument
      return undefined
    },
    GetRolePolicy(input) {
      const { RoleName, PolicyName } = parse(ofPolicy, input, 'ValidationError')
      const document = policyOf(find(RoleName), PolicyName)
      return { RoleName, PolicyName, PolicyDocument: encodeURIComponent(document) }
    },
    ListRolePolicies(input) {
      const found = find(parse(named, input, 'ValidationError').RoleName)
      return { PolicyNames: Object.keys(found.policies).sort(), IsTruncated: false }
    },
    DeleteRolePolicy(input) {
      const { RoleName, PolicyName } = parse(ofPolicy, input, 'ValidationError')
      const found = find(RoleName)
      policyOf(found, PolicyName)
      delete found.policies[PolicyName]
      return undefined
    },
    TagRole(input) {
      const { RoleName, Tags } = parse(tagged, input, 'ValidationError')
      const found = find(RoleName)
      const fresh = new Set(Tags.map(({ Key }) => Key))
      found.Tags = [...found.Tags.filter(({ Key }) => !fresh.has(Key)), ...Tags]
      return undefined
    },
  }

  const service: Service = async ({ body }) => {
    const form = new URLSearchParams(body.toString('utf8'))
    const name = form.get('Action') ?? ''
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined
    if (!action)
      throw new AwsError('InvalidAction', `Could not find operation ${name} for version ${form.get('Version')}`)
    const output = action(readQuery(form))
    if (!/^(Get|List)/.test(name)) state.save()
    return {
      status: 200,
      headers: { 'content-type': 'text/xml' },
      body:
        `<${name}Response xmlns="https://iam.amazonaws.com/doc/2010-05-08/">` +
        (output ? `<${name}Result>${toXml(output)}</${name}Result>` : '') +
        `<ResponseMetadata><RequestId>${randomUUID()}</RequestId></ResponseMetadata></${name}Response>`,
    }
  }
  return { service, find: (name) => state.value[name] }
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
