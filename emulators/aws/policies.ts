/**
 * IAM's policies: what a document allows, read once and decided by for each request. Reading a policy refuses
 * unsupported elements.
 */
import * as z from 'zod'
import { findById } from '../kit/records.ts'

/** The request's context, by the names of condition keys; a tag's is `aws:ResourceTag/<key>`. */
export type Context = Readonly<Record<string, string | undefined>>

/** One thing that a request does. */
export interface Need {
  /** For example `dynamodb:PutItem`. */
  action: string
  /** An ARN, or `*` where the service knows no resources for the action. */
  resource: string
  context?: Context
}

interface Pattern {
  text: string
  matches(value: string): boolean
}

type Condition = (context: Context) => boolean

interface Statement {
  effect: 'Allow' | 'Deny'
  actions: Pattern[]
  resources: Pattern[]
  conditions: Condition[]
}

export interface Policy {
  statements: Statement[]
}

/** An action and a resource as a policy writes them. */
export interface Grant {
  action: string
  resource: string
}

export type Decision = { allowed: true; by: Grant } | { allowed: false; why: string }

const texts = z.union([z.string(), z.array(z.string())]).transform((given) => [given].flat())
const values = z.union([z.string(), z.boolean(), z.array(z.string())]).transform((given) => [given].flat().map(String))
const document = z.object({
  Version: z.literal('2012-10-17'),
  Statement: z
    .union([z.unknown().array(), z.unknown()])
    .transform((given) => [given].flat())
    .pipe(
      z.array(
        // Strict: a NotAction or NotResource that went unread would turn a statement round.
        z.strictObject({
          Sid: z.string().optional(),
          Effect: z.enum(['Allow', 'Deny']),
          Action: texts,
          Resource: texts.optional(),
          Principal: z.unknown().optional(),
          Condition: z.record(z.string(), z.record(z.string(), values)).default({}),
        }),
      ),
    ),
})

/** Keys that requests here carry; `…/` ends those with a tag's key behind it. */
const knownKeys = [
  'aws:RequestTag/',
  'aws:ResourceTag/',
  'aws:SecureTransport',
  'aws:SourceAccount',
  'aws:SourceArn',
  'ecs:CreateAction',
  'ecs:cluster',
  'elasticfilesystem:AccessPointArn',
  'elasticfilesystem:CreateAction',
  'iam:PassedToService',
  'iam:PermissionsBoundary',
  's3:prefix',
  'ses:FromAddress',
]

const equal = (value: string, wanted: string) => value === wanted
const like = (value: string, wanted: string) => pattern(wanted).matches(value)
const likeArn = (value: string, wanted: string) => arnPattern(wanted).matches(value)

/** Each is asked about a key that the request carries; one that it does not carry holds for none of them but Null. */
const operators: Record<string, (value: string, wanted: string) => boolean> = {
  StringEquals: equal,
  StringLike: like,
  // AWS treats these two alike.
  ArnEquals: likeArn,
  ArnLike: likeArn,
  Bool: (value, wanted) => value.toLowerCase() === wanted.toLowerCase(),
}

/**
 * Throws, naming `where`, for a document with an element, an operator or a condition key that is not evaluated here.
 */
export function readPolicy(given: unknown, where: string): Policy {
  const parsed = document.safeParse(given)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new Error(`The policy of ${where} cannot be evaluated here: ${issue?.path.join('.')} ${issue?.message}`)
  }
  return {
    statements: parsed.data.Statement.map(({ Effect, Action, Resource = ['*'], Condition }) => ({
      effect: Effect,
      actions: Action.map((text) => pattern(text, 'i')),
      resources: Resource.map(arnPattern),
      conditions: Object.entries(Condition).flatMap(([operator, keys]) =>
        Object.entries(keys).map(([key, wanted]) => readCondition(operator, key, wanted, where)),
      ),
    })),
  }
}

function readCondition(operator: string, key: string, wanted: string[], where: string): Condition {
  const isKnown = knownKeys.some((known) => (known.endsWith('/') ? key.startsWith(known) : key === known))
  if (!isKnown) throw new Error(`The policy of ${where} asks for ${key}, which no request here carries: policies.ts`)
  if (operator === 'Null') return (context) => wanted.some((text) => (text === 'true') === (context[key] === undefined))
  const holds = findById(operators, operator)
  if (!holds) throw new Error(`The policy of ${where} compares by ${operator}, which is not known here: policies.ts`)
  return (context) => {
    const value = context[key]
    return value !== undefined && wanted.some((text) => holds(value, text))
  }
}

const escaped = (text: string) => text.replace(/[.+^${}()|[\]\\]/g, '\\$&')

/** `*` and `?` stand for what they stand for in IAM. */
function pattern(text: string, flags = ''): Pattern {
  if (text === '*') return { text, matches: () => true }
  if (!/[*?]/.test(text) && !flags) return { text, matches: (value) => value === text }
  const expression = new RegExp(`^${escaped(text).replaceAll('*', '.*').replaceAll('?', '.')}$`, `s${flags}`)
  return { text, matches: (value) => expression.test(value) }
}

/** A wildcard of an ARN's first five parts does not reach into the next. */
function arnPattern(text: string): Pattern {
  if (!text.startsWith('arn:')) return pattern(text)
  const split = (arn: string): string[] => {
    const parts = arn.split(':')
    return [...parts.slice(0, 5), parts.slice(5).join(':')]
  }
  const wanted = split(text).map((part) => pattern(part))
  return {
    text,
    matches: (value) => {
      const given = split(value)
      return wanted.every((part, at) => part.matches(given[at] ?? ''))
    },
  }
}

const covering = (statement: Statement, { action, resource, context = {} }: Need): Grant | undefined => {
  const byAction = statement.actions.find((pattern) => pattern.matches(action))
  const byResource = byAction && statement.resources.find((pattern) => pattern.matches(resource))
  if (!byResource || !statement.conditions.every((holds) => holds(context))) return undefined
  return { action: byAction.text, resource: byResource.text }
}

/** The joint decision of these policies: a Deny before any Allow; no statement is a refusal. */
export function decide(policies: readonly Policy[], need: Need, kind = 'identity-based policy'): Decision {
  const statements = policies.flatMap((policy) => policy.statements)
  const by = (effect: Statement['effect']) => {
    for (const statement of statements) {
      const grant = statement.effect === effect && covering(statement, need)
      if (grant) return grant
    }
    return undefined
  }
  if (by('Deny')) return { allowed: false, why: `with an explicit deny in an ${kind}` }
  const grant = by('Allow')
  return grant
    ? { allowed: true, by: grant }
    : { allowed: false, why: `because no ${kind} allows the ${need.action} action` }
}

/** Whether some condition has a say in it, so that the next request of this kind may be decided otherwise. */
export const isConditional = (policies: readonly Policy[], { action, resource }: Need): boolean =>
  policies.some(({ statements }) =>
    statements.some(
      ({ actions, resources, conditions }) =>
        conditions.length > 0 &&
        actions.some((pattern) => pattern.matches(action)) &&
        resources.some((pattern) => pattern.matches(resource)),
    ),
  )

/** The rights that these policies grant, action by action. */
export const grantsOf = (policies: readonly Policy[]): Grant[] =>
  policies.flatMap(({ statements }) =>
    statements.flatMap(({ effect, actions, resources }) =>
      effect === 'Deny'
        ? []
        : actions.flatMap((action) => resources.map((resource) => ({ action: action.text, resource: resource.text }))),
    ),
  )
