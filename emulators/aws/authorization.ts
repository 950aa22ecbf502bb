/** The caller, by the access key of a request, and whether that role's policies allow the request. */
import type { Decision, Grant, Need, Policy } from './policies.ts'
import { decide, isConditional, readPolicy } from './policies.ts'
import { ACCOUNT, AwsError } from './protocols.ts'

/** A role as those who act by it are known: its name is the access key they sign with. */
export interface Principal {
  name: string
  arn: string
  policies: readonly Policy[]
  /** The most it may do, whatever its policies say. */
  boundary?: Policy | undefined
}

/** A role that a request made. */
export interface MadeRole {
  RoleName: string
  Arn: string
  PermissionsBoundary?: string | undefined
  policies: Record<string, string>
}

/** A request that was refused. */
export interface Denial {
  principal: Principal
  need: Need
  why: string
}

/** The roles, and the policies outside their own documents. */
export interface Directory {
  principals: readonly Principal[]
  /** Managed policies by ARN: roles that are made later are bounded by them. */
  managed?: ReadonlyMap<string, Policy>
  /** Policies of resources by ARN, as far as they are about everybody. */
  ofResources?: ReadonlyMap<string, Policy>
}

export interface Authorizer {
  /** Answers by this from now on. */
  setDirectory(directory: Directory): void
  /** Why this key may not do one of these; undefined if it may do all. An unknown key may do nothing. */
  refusal(accessKeyId: string, needs: readonly Need[]): AwsError | undefined
  /** The same for a service that acts on behalf of a role. */
  refusalOfRole(roleArn: string, needs: readonly Need[]): AwsError | undefined
  /** The same for a role that is in no directory: its inline policies are JSON, its boundary a managed policy's ARN. */
  refusalOfMade(role: MadeRole, needs: readonly Need[]): AwsError | undefined
  /** Every grant that a request was let through by so far, by the name of its role. */
  used(): Map<string, Grant[]>
}

/** The access key of the account's owner, who may do everything. */
export const OWNER = 'local'

/** The access key in an Authorization header or a presigned URL's credential. */
export const accessKeyOf = (signed: string | undefined): string =>
  /(?:Credential=|^)([^/\s=]+)(?:\/|$)/.exec(signed ?? '')?.[1] ?? ''

export function createAuthorizer(onDenial: (denial: Denial) => void = () => {}): Authorizer {
  let directory: Directory = { principals: [] }
  let byName = new Map<string, Principal>()
  const known = new Map<string, Map<string, Decision>>()
  const used = new Map<string, Map<string, Grant>>()

  const note = ({ name }: Principal, grant: Grant) => {
    const grants = used.get(name) ?? new Map<string, Grant>()
    used.set(name, grants.set(`${grant.action} ${grant.resource}`, grant))
  }

  const decided = (principal: Principal, need: Need): Decision => {
    const ofResource = directory.ofResources?.get(need.resource)
    const own = decide(ofResource ? [...principal.policies, ofResource] : principal.policies, need)
    if (!own.allowed || !principal.boundary) return own
    const within = decide([principal.boundary], need, 'permissions boundary')
    return within.allowed ? own : within
  }

  const noted = (principal: Principal, need: Need): Decision => {
    const fresh = decided(principal, need)
    if (fresh.allowed) note(principal, fresh.by)
    return fresh
  }

  /** Statements without conditions are decided once. */
  const decision = (principal: Principal, need: Need): Decision => {
    const decisions = known.get(principal.name) ?? new Map<string, Decision>()
    known.set(principal.name, decisions)
    const key = `${need.action} ${need.resource}`
    const before = decisions.get(key)
    if (before) return before
    const fresh = noted(principal, need)
    const all = principal.boundary ? [...principal.policies, principal.boundary] : principal.policies
    if (
      fresh.allowed &&
      decisions.size < DECISIONS &&
      !isConditional(all, need) &&
      !directory.ofResources?.has(need.resource)
    )
      decisions.set(key, fresh)
    return fresh
  }

  const check = (principal: Principal, needs: readonly Need[], by = decision): AwsError | undefined => {
    for (const need of needs) {
      const found = by(principal, need)
      if (found.allowed) continue
      onDenial({ principal, need, why: found.why })
      const user = `arn:aws:sts::${ACCOUNT}:assumed-role/${principal.name}/local`
      const on = need.resource === '*' ? '' : ` on resource: ${need.resource}`
      return new AwsError(
        'AccessDeniedException',
        `User: ${user} is not authorized to perform: ${need.action}${on} ${found.why}`,
      )
    }
    return undefined
  }

  return {
    setDirectory(given) {
      directory = given
      byName = new Map(given.principals.map((principal) => [principal.name, principal]))
      known.clear()
    },
    refusal(accessKeyId, needs) {
      if (accessKeyId === OWNER) return undefined
      const principal = byName.get(accessKeyId)
      return principal
        ? check(principal, needs)
        : new AwsError('UnrecognizedClientException', 'The security token included in the request is invalid.')
    },
    refusalOfRole(roleArn, needs) {
      const principal = [...byName.values()].find(({ arn }) => arn === roleArn)
      return principal
        ? check(principal, needs)
        : new AwsError('AccessDeniedException', `The role ${roleArn} cannot be assumed.`)
    },
    refusalOfMade({ RoleName, Arn, PermissionsBoundary, policies }, needs) {
      const boundary = PermissionsBoundary === undefined ? undefined : directory.managed?.get(PermissionsBoundary)
      if (PermissionsBoundary !== undefined && !boundary)
        return new AwsError('AccessDeniedException', `There is no policy ${PermissionsBoundary}.`)
      const own = Object.values(policies).map((document) => readPolicy(JSON.parse(document), RoleName))
      return check({ name: RoleName, arn: Arn, policies: own, boundary }, needs, noted)
    },
    used: () => new Map([...used].map(([name, grants]) => [name, [...grants.values()]])),
  }
}

/** Decisions kept for a role. */
const DECISIONS = 10_000
