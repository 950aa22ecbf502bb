/** The template's roles with their policies, and the permissions to invoke functions. */
import type { Authorizer, Directory } from '../../emulators/aws/authorization.ts'
import { type Grant, grantsOf, type Policy, readPolicy } from '../../emulators/aws/policies.ts'
import { asList, asObject, asText, type Json } from '../template/json.ts'
import { account, region } from '../template/resource-types.ts'
import type { Template } from '../template/template.ts'
import { invokedBy } from './invoked.ts'

/** @throws for an unsupported element, operator or condition key of a policy */
export function directoryOf(template: Template): Directory {
  const managed = new Map(
    template
      .ofType('AWS::IAM::ManagedPolicy')
      .map(({ arn, logicalId, properties }) => [arn, read(properties.PolicyDocument, logicalId)]),
  )
  const attached = template.ofType('AWS::IAM::Policy').map(({ logicalId, properties }) => ({
    roles: asList(properties.Roles).map((role) => asText(role)),
    policy: read(properties.PolicyDocument, logicalId),
  }))
  const principals = template.ofType('AWS::IAM::Role').map(({ name, arn, logicalId, properties }) => {
    const { Policies, ManagedPolicyArns, PermissionsBoundary } = properties
    const inline = asList(Policies ?? []).map((inlined) => read(asObject(inlined).PolicyDocument, logicalId))
    // AWS's managed policies are unknown here, so they grant nothing.
    const byArn = asList(ManagedPolicyArns ?? []).flatMap((one) => managed.get(asText(one)) ?? [])
    const own = attached.filter(({ roles }) => roles.includes(name)).map(({ policy }) => policy)
    const boundary = PermissionsBoundary === undefined ? undefined : managed.get(asText(PermissionsBoundary))
    if (PermissionsBoundary !== undefined && !boundary)
      throw new Error(`${logicalId} is bounded by ${asText(PermissionsBoundary)}, which is no policy of the template`)
    return { name, arn, policies: [...inline, ...byArn, ...own], boundary }
  })
  return { principals, managed, ofResources: new Map(fileSystemPolicies(template)) }
}

const fileSystemPolicies = (template: Template) =>
  template.ofType('AWS::EFS::FileSystem').flatMap(({ arn, logicalId, properties }) => {
    const { FileSystemPolicy } = properties
    if (FileSystemPolicy === undefined) return []
    for (const statement of asList(asObject(FileSystemPolicy).Statement)) {
      const principal = asObject(statement).Principal ?? null
      if (![principal, asObject(principal).AWS].includes('*'))
        throw new Error(`The policy of ${logicalId} is about somebody, and only what is said to all is evaluated here`)
    }
    return [[arn, read(FileSystemPolicy, logicalId)] as const]
  })

const read = (document: Json | undefined, where: string): Policy => readPolicy(document, where)

/** A function signs with its role's name as the access key. */
export const accessKey = (role: string): string => role.split('/').at(-1) || 'no-role'

/** Evaluates the function's resource policy. */
export type MayInvoke = (functionArn: string, service: string, sourceArn: string) => boolean

export function invokersOf(template: Template): MayInvoke {
  const permissions = template.ofType('AWS::Lambda::Permission').map(({ logicalId, properties }) => {
    const { Action, FunctionName, Principal, SourceAccount, SourceArn, ...others } = properties
    const [unknown] = Object.keys(others)
    if (unknown)
      throw new Error(`${logicalId} has ${unknown}, which is not evaluated here: local/functions/principals.ts`)
    const statement = { Effect: 'Allow', Action: asText(Action), Resource: asText(SourceArn, '*') }
    return {
      functionArn: invokedBy(template, asText(FunctionName))?.arn,
      service: asText(Principal),
      policy: readPolicy({ Version: '2012-10-17', Statement: [statement] }, logicalId),
      account: SourceAccount === undefined ? undefined : asText(SourceAccount),
    }
  })
  return (functionArn, service, sourceArn) =>
    permissions.some(
      (permission) =>
        permission.functionArn === functionArn &&
        permission.service === service &&
        (permission.account ?? account) === account &&
        permission.policy.statements.some(
          ({ actions, resources }) =>
            actions.some((action) => action.matches('lambda:InvokeFunction')) &&
            resources.some((resource) => resource.matches(sourceArn)),
        ),
    )
}

/** Lambda's own actions with a function's role. */
export function rightsOf(template: Template, authorizer: Pick<Authorizer, 'refusalOfRole'>) {
  const roleOf = (functionArn: string) => asText(invokedBy(template, functionArn)?.fn.properties.Role)
  const may = (role: string, actions: string[], resource: string) =>
    !authorizer.refusalOfRole(
      role,
      actions.map((action) => ({ action, resource })),
    )
  return {
    mayLog: (role: string, group: string): boolean =>
      may(
        role,
        ['logs:CreateLogStream', 'logs:PutLogEvents'],
        `arn:aws:logs:${region}:${account}:log-group:${group}:log-stream:*`,
      ),
    mayRead: (functionArn: string, streamArn: string): boolean =>
      may(roleOf(functionArn), ['dynamodb:ListStreams'], '*') && may(roleOf(functionArn), streamActions, streamArn),
  }
}

const streamActions = ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator']

export interface Right {
  role: string
  action: string
  resource: string
}

/** JSON: each role's rights, and which of them were used. */
export function usedRights(template: Template, authorizer: Pick<Authorizer, 'used'>): string {
  const rights = (role: string, grants: Grant[]): Right[] => grants.map((grant) => ({ role, ...grant }))
  const granted = directoryOf(template).principals.flatMap(({ name, policies }) => rights(name, grantsOf(policies)))
  const used = [...authorizer.used()].flatMap(([name, grants]) => rights(name, grants))
  return JSON.stringify({ granted, used })
}
