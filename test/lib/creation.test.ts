import { fullDiff, ResourceImpact } from '@aws-cdk/cloudformation-diff'
import { deployments, local as laptop, type Resource, type Synthesis } from './synthesis.ts'

let all: Record<'unchanged' | 'changed', Synthesis> & Record<string, Synthesis>

beforeAll(async () => {
  all = await deployments()
})

/** Names of parts of the resource. */
const inside = ['TimeToLiveSpecification.AttributeName']

/** The properties that name a resource with a text that is the same in every deployment of the stage. */
const fixedNames = (properties: Record<string, unknown>): [path: string, name: string][] =>
  Object.entries(properties)
    .flatMap(([key, value]): [string, string][] => {
      if (typeof value === 'string') return /(^|[a-z])Name$/.test(key) ? [[key, value]] : []
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
      return fixedNames({ ...value }).map(([path, name]) => [`${key}.${path}`, name])
    })
    .filter(([path]) => !inside.includes(path))

const isKept = ({ DeletionPolicy = '' }: Resource) => DeletionPolicy.startsWith('Retain')

/**
 * API Gateway has one role for all logs of the account, that of the last stage that was created. Another stage may use
 * it, so even a failed creation leaves it. Its name is generated.
 */
const ofAccount = /^ApiRest(CloudWatchRole|Account)[0-9A-F]{8}$/

describe('a stack whose first creation failed', () => {
  test('leaves nothing behind: no resource has the plain policy Retain', () => {
    const resources = Object.values(all).flatMap((each) => each.resources)
    expect(resources.filter(([, resource]) => isKept(resource)).length).toBeGreaterThan(40)
    const left = resources.filter(([id, { DeletionPolicy }]) => DeletionPolicy === 'Retain' && !ofAccount.test(id))
    expect(left.map(([id]) => id)).toEqual([])
  })

  test('can be created again: a resource that outlives its stack has no fixed name', () => {
    const kept = Object.values(all).flatMap(({ resources }) => resources.filter(([, resource]) => isKept(resource)))
    expect(
      kept.flatMap(([id, { Properties = {} }]) => fixedNames(Properties).map(([path]) => `${id}: ${path}`)),
    ).toEqual([])
  })

  test('has created its protected tables last, because CloudFormation cannot delete them', () => {
    const later = ['AWS::DynamoDB::Table', 'AWS::SSM::Parameter', 'AWS::Events::EventBus', 'AWS::CDK::Metadata']
    for (const { stacks } of Object.values(all)) {
      const tables = Object.values(stacks.state).filter(({ Type }) => Type === 'AWS::DynamoDB::Table')
      const [gate = '', ...others] = new Set(tables.flatMap(({ DependsOn = [] }) => DependsOn))
      expect(others).toEqual([])
      const first = new Set([gate, ...(stacks.state[gate]?.DependsOn ?? [])])
      const missing = Object.entries(stacks.state).filter(([id, { Type }]) => !later.includes(Type) && !first.has(id))
      expect(missing.map(([id]) => id)).toEqual([])
    }
  })
})

/** Resources that a change of settings replaces: CloudFormation creates the new one before it deletes the old one. */
const replaced = ({ unchanged, changed }: typeof all) =>
  (['state', 'service'] as const).flatMap((stack) => {
    const ids: string[] = []
    const [before, after] = [unchanged.stacks[stack], changed.stacks[stack]]
    fullDiff({ Resources: before }, { Resources: after }).resources.forEachDifference((id, { changeImpact }) => {
      if (changeImpact === ResourceImpact.WILL_REPLACE || changeImpact === ResourceImpact.MAY_REPLACE) ids.push(id)
    })
    return ids.map((id) => ({ id, before: before[id]?.Properties ?? {}, after: after[id]?.Properties ?? {} }))
  })

test('a resource that a changed setting replaces has no fixed name, which the old one still has', () => {
  const found = replaced(all)
  expect(found.length).toBeGreaterThan(0)
  const collisions = found.flatMap(({ id, before, after }) => {
    const names = new Map(fixedNames(before))
    return fixedNames(after).flatMap(([path, name]) => (names.get(path) === name ? [`${id}: ${path}`] : []))
  })
  expect(collisions).toEqual([])
})

/** Types that name a role and do not use it while they are created. */
const usesLater: Readonly<Record<string, string>> = {
  'AWS::CodeBuild::Project': 'builds start after the deployment of the stack',
  'AWS::ECS::TaskDefinition': 'its service starts the tasks',
  'AWS::Events::Rule': 'takes its role when an event matches',
  'AWS::IAM::ManagedPolicy': 'is a right itself',
  'AWS::IAM::Policy': 'is a right itself',
  'AWS::IAM::Role': 'is a role itself',
  'AWS::SSM::Parameter': 'only stores its ARN',
}

/** Logical ids of a template that these properties refer to. */
const refersTo = (properties: unknown): string[] =>
  [...JSON.stringify(properties ?? {}).matchAll(/"(?:Ref":"|Fn::GetAtt":\[")(\w+)"/g)].map(([, id = '']) => id)

test('a resource that uses a role while it is created waits for the role’s policies', () => {
  const waiting: string[] = []
  for (const { stacks } of Object.values(all))
    for (const stack of Object.values(stacks)) {
      const policies = Object.entries(stack).filter(([, { Type }]) => Type === 'AWS::IAM::Policy')
      for (const [id, { Type, Properties, DependsOn = [] }] of Object.entries(stack)) {
        if (Type in usesLater) continue
        // A function’s environment may name roles that it passes on later.
        const direct = refersTo(Type === 'AWS::Lambda::Function' ? Properties.Role : Properties)
        const started = direct.filter((each) => stack[each]?.Type === 'AWS::ECS::TaskDefinition')
        const used = [...direct, ...started.flatMap((each) => refersTo(stack[each]?.Properties))]
        const needed = policies.filter(([, policy]) =>
          refersTo(policy.Properties.Roles).some((role) => used.includes(role)),
        )
        waiting.push(...needed.map(([policy]) => `${id} ${policy} ${DependsOn.includes(policy)}`))
      }
    }
  expect(waiting.filter((line) => line.includes('FlowLog')).length).toBeGreaterThan(0)
  expect(waiting.filter((line) => line.endsWith('false'))).toEqual([])
})

test('the local service knows the names of its secrets', async () => {
  const secrets = (await laptop()).ofType('AWS::SecretsManager::Secret')
  for (const [, { Properties }] of secrets) expect(Properties.Name).toMatch(/^berth\/local\//)
})
