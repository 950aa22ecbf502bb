import { statSync } from 'node:fs'
import { readTemplate } from '../../local/template/template.ts'
import { at, deployments, fileOf, local, type Resource, type Synthesis } from './synthesis.ts'

/** Quotas of AWS that nobody can raise, or that nobody should have to raise for one stage. */
const limits = {
  sqsStatements: {
    most: 20,
    source: 'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-policies.html',
  },
  sqsPolicyBytes: {
    most: 8_192,
    source: 'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-policies.html',
  },
  restResources: {
    most: 300,
    source:
      'https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-execution-service-limits-table.html',
  },
  deploymentAlarms: { most: 10, source: 'https://docs.aws.amazon.com/codedeploy/latest/userguide/limits.html' },
  environmentBytes: { most: 4_096, source: 'https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html' },
  inlinePolicyCharacters: {
    most: 10_240,
    source: 'https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html',
  },
  streamConsumers: { most: 2, source: 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Streams.html' },
  mappingFilters: { most: 5, source: 'https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html' },
  templateBytes: {
    most: 1_000_000,
    source: 'https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html',
  },
  stackResources: {
    most: 500,
    source: 'https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html',
  },
  stackParameters: {
    most: 200,
    source: 'https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html',
  },
  stackOutputs: {
    most: 200,
    source: 'https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html',
  },
} satisfies Record<string, { most: number; source: string }>
type Limit = keyof typeof limits

/** Longer than a name or id that AWS generates. */
const generated = 'berth-abcdefghijklmnop-service-'.padEnd(64, 'x')

/** Characters of a value when CloudFormation has resolved its references. */
function sizeOf(value: unknown): number {
  const resolved = JSON.stringify(value).replace(
    /\{"(?:Ref":"(?!AWS::)\w+"|Fn::GetAtt":\["\w+","\w+"\])\}/g,
    `"${generated}"`,
  )
  return Buffer.byteLength(resolved)
}

let stages: Synthesis[]
let laptop: Synthesis

beforeAll(async () => {
  stages = Object.values(await deployments())
  laptop = await local()
})

const ofType = (type: string): Resource[] =>
  stages.flatMap((stage) => stage.ofType(type).map(([, resource]) => resource))
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : value === undefined ? [] : [value])
const byStack = (counted: (stage: Synthesis, stack: 'state' | 'service') => number) =>
  stages.flatMap((stage) => [counted(stage, 'state'), counted(stage, 'service')])

const queuePolicies = () => ofType('AWS::SQS::QueuePolicy').map(({ Properties }) => Properties.PolicyDocument)

/** Every node of the tree of paths is a resource of API Gateway, and so is the root. */
function restResources({ Properties }: Resource): number {
  const nodes = new Set(['/'])
  for (const path of Object.keys(at(Properties.Body, 'paths') ?? {})) {
    const parts = path.split('/').filter(Boolean)
    for (const i of parts.keys()) nodes.add(`/${parts.slice(0, i + 1).join('/')}`)
  }
  return nodes.size
}

/** Event source mappings of each stream. */
function consumers(stage: Synthesis): number[] {
  const streams = stage
    .ofType('AWS::Lambda::EventSourceMapping')
    .map(([, { Properties }]) => JSON.stringify(Properties.EventSourceArn))
  return [...Map.groupBy(streams, (stream) => stream).values()].map((all) => all.length)
}

/** Roles in the local template, which has resolved every reference; names are longer in AWS. */
const roleSizes = () =>
  readTemplate(laptop.folder)
    .ofType('AWS::IAM::Role')
    .map(
      ({ properties }) =>
        JSON.stringify(listOf(properties.Policies).map((policy) => at(policy, 'PolicyDocument'))).length * 1.15,
    )

const used: Record<Limit, () => number[]> = {
  sqsStatements: () => queuePolicies().map((document) => listOf(at(document, 'Statement')).length),
  sqsPolicyBytes: () => queuePolicies().map(sizeOf),
  restResources: () => ofType('AWS::ApiGateway::RestApi').map(restResources),
  deploymentAlarms: () =>
    ofType('AWS::CodeDeploy::DeploymentGroup').map(
      ({ Properties }) => listOf(at(Properties.AlarmConfiguration, 'Alarms')).length,
    ),
  environmentBytes: () =>
    ofType('AWS::Lambda::Function').flatMap(({ Properties }) =>
      Properties.Environment ? [sizeOf(at(Properties.Environment, 'Variables'))] : [],
    ),
  inlinePolicyCharacters: roleSizes,
  streamConsumers: () => stages.flatMap(consumers),
  mappingFilters: () =>
    ofType('AWS::Lambda::EventSourceMapping').map(
      ({ Properties }) => listOf(at(Properties.FilterCriteria, 'Filters')).length,
    ),
  templateBytes: () => byStack(({ folder }, stack) => statSync(fileOf(folder, `-${stack}.template.json`)).size),
  stackResources: () => byStack(({ stacks }, stack) => Object.keys(stacks[stack]).length),
  stackParameters: () => byStack(({ parameters }, stack) => Object.keys(parameters[stack]).length),
  stackOutputs: () => byStack(({ outputs }, stack) => Object.keys(outputs[stack]).length),
}

describe('every stage stays below AWS’s limit of', () => {
  test.each(Object.keys(limits) as Limit[])('%s', (limit) => {
    const found = used[limit]()
    expect(found.length).toBeGreaterThan(0)
    expect([limit, Math.max(...found) <= limits[limit].most]).toEqual([limit, true])
  })
})
