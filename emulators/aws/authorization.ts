/** The caller, by the access key of a request, and whether that role's policies allow the request. */
import type { Decision, Grant, Need, Policy } from './policies.ts'
import { decide, isConditional, readPolicy } from './policies.ts'
import { ACCOUNT, AwsError } from './protocols.ts'

/** A role as those who act by it are known: its name is the access key they sign with. */
interface Principal {
  name: string
  arn: string
  policies: readonly Policy[]
  /** The most it may do, whatever its policies say. */
  boundary?: Policy | undefined
}

/** A role that a request made. */
interface MadeRole {
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

/** The access key of the account's owner, who may do everything. */
export const OWNER = 'local'

/** The access key in an Authorization header or a presigned URL's credential. */
export const accessKeyOf = (signed: string | undefined): string =>
  /(?:Credential=|^)([^/\s=]+)(?:\/|$)/.exec(signed ?? '')?.[1] ?? ''

/** Decisions kept for a role. */
const DECISIONS = 10_000

export class Authorizer {
  readonly #onDenial: (denial: Denial) => void
  readonly #known = new Map<string, Map<string, Decision>>()
  readonly #used = new Map<string, Map<string, Grant>>()
  #directory: Directory = { principals: [] }
  #byName = new Map<string, Principal>()

  constructor(onDenial: (denial: Denial) => void = () => {}) {
    this.#onDenial = onDenial
  }

  /** Answers by this from now on. */
  setDirectory(directory: Directory): void {
    this.#directory = directory
    this.#byName = new Map(directory.principals.map((principal) => [principal.name, principal]))
    this.#known.clear()
  }

  /** Why this key may not do one of these; undefined if it may do all. An unknown key may do nothing. */
  refusal(accessKeyId: string, needs: readonly Need[]): AwsError | undefined {
    if (accessKeyId === OWNER) return undefined
    const principal = this.#byName.get(accessKeyId)
    return principal
      ? this.#check(principal, needs)
      : new AwsError('UnrecognizedClientException', 'The security token included in the request is invalid.')
  }

  /** The same for a service that acts on behalf of a role. */
  refusalOfRole(roleArn: string, needs: readonly Need[]): AwsError | undefined {
    const principal = [...this.#byName.values()].find(({ arn }) => arn === roleArn)
    return principal
      ? this.#check(principal, needs)
      : new AwsError('AccessDeniedException', `The role ${roleArn} cannot be assumed.`)
  }

  /** The same for a role that is in no directory: its inline policies are JSON, its boundary a managed policy's ARN. */
  refusalOfMade(role: MadeRole, needs: readonly Need[]): AwsError | undefined {
    const { RoleName: name, Arn: arn, PermissionsBoundary } = role
    const boundary = PermissionsBoundary === undefined ? undefined : this.#directory.managed?.get(PermissionsBoundary)
    if (PermissionsBoundary !== undefined && !boundary)
      return new AwsError('AccessDeniedException', `There is no policy ${PermissionsBoundary}.`)
    const policies = Object.values(role.policies).map((document) => readPolicy(JSON.parse(document), name))
    return this.#check({ name, arn, policies, boundary }, needs, (principal, need) => this.#decide(principal, need))
  }

  /** Every grant that a request was let through by so far, by the name of its role. */
  used(): Map<string, Grant[]> {
    return new Map([...this.#used].map(([name, grants]) => [name, [...grants.values()]]))
  }

  #check(
    principal: Principal,
    needs: readonly Need[],
    by: (principal: Principal, need: Need) => Decision = (principal, need) => this.#decideOnce(principal, need),
  ): AwsError | undefined {
    for (const need of needs) {
      const found = by(principal, need)
      if (found.allowed) continue
      this.#onDenial({ principal, need, why: found.why })
      const user = `arn:aws:sts::${ACCOUNT}:assumed-role/${principal.name}/local`
      const on = need.resource === '*' ? '' : ` on resource: ${need.resource}`
      return new AwsError(
        'AccessDeniedException',
        `User: ${user} is not authorized to perform: ${need.action}${on} ${found.why}`,
      )
    }
    return undefined
  }

  /** Statements without conditions are decided once. */
  #decideOnce(principal: Principal, need: Need): Decision {
    const decisions = this.#known.get(principal.name) ?? new Map<string, Decision>()
    this.#known.set(principal.name, decisions)
    const key = `${need.action} ${need.resource}`
    const before = decisions.get(key)
    if (before) return before
    const fresh = this.#decide(principal, need)
    const all = principal.boundary ? [...principal.policies, principal.boundary] : principal.policies
    const isConstant = !isConditional(all, need) && !this.#directory.ofResources?.has(need.resource)
    if (fresh.allowed && decisions.size < DECISIONS && isConstant) decisions.set(key, fresh)
    return fresh
  }

  #decide({ name, policies, boundary }: Principal, need: Need): Decision {
    const ofResource = this.#directory.ofResources?.get(need.resource)
    const own = decide(ofResource ? [...policies, ofResource] : policies, need)
    if (!own.allowed) return own
    const within = boundary && decide([boundary], need, 'permissions boundary')
    if (within && !within.allowed) return within
    const grants = this.#used.get(name) ?? new Map<string, Grant>()
    this.#used.set(name, grants.set(`${own.by.action} ${own.by.resource}`, own.by))
    return own
  }
}
