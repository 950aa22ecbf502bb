import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../lib/build/bundle.ts'
import type { StageSettings } from '../../lib/stage.ts'
import { cached, functionCode, synthesise, synthReads } from '../../local/start/builds.ts'
import { compiled } from '../counts.ts'
import type { Wanted } from './assemble.ts'

export interface Resource {
  Type: string
  Properties: Record<string, unknown>
  DeletionPolicy?: string
  UpdateReplacePolicy?: string
  DependsOn?: string[]
}

type ByStack<T> = Record<'state' | 'service', Record<string, T>>

export interface Synthesis {
  /** The assembly's folder. */
  folder: string
  stacks: ByStack<Resource>
  /** The outputs of a deployment, by stack. */
  outputs: ByStack<unknown>
  parameters: ByStack<unknown>
  conditions: ByStack<unknown>
  /** The resources of both stacks. */
  resources: [id: string, resource: Resource][]
  ofType(type: string): [id: string, resource: Resource][]
}

const base = {
  account: '123456789012',
  region: 'eu-central-1',
  mailFrom: 'hello@example.com',
  alarmMail: 'ops@example.com',
}
const domain = { name: 'berth.test', certificateArn: 'arn:aws:acm:us-east-1:1:certificate/x' }
const mailDomain = { name: 'example.com' }
const pipeline = { repository: 'berth/berth', environment: 'prod' }
/** Variants of a stage's file, besides that of `npm start`. */
const stages = {
  production: [
    'production',
    { ...base, budgetDollars: 500, blockedDomains: ['evil.example'], dnsBlockLists: ['rslvr-fdl-0123456789abcdef'] },
  ],
  /** The minimum. */
  bare: ['prod', base],
  /** Other retention, log level, budget and zones than the defaults. */
  staging: [
    'staging',
    {
      ...base,
      zones: ['euc1-az1', 'euc1-az3'],
      logLevel: 'ERROR',
      logDays: 90,
      budgetDollars: 1_234,
      flowLogs: 'all',
      tableKeys: 'aws-managed',
    },
  ],
  /** A stage with a budget, before and after a change of every setting that may change. */
  unchanged: ['prod', { ...base, budgetDollars: 500 }],
  changed: [
    'prod',
    {
      ...base,
      cell: '01',
      domain,
      mailFrom: 'berth@example.com',
      mailDomain: { ...mailDomain, hostedZoneId: 'Z123' },
      abuseMail: 'abuse@example.com',
      alarmMail: 'others@example.com',
      ticketMail: 'tickets@example.com',
      flowLogs: 'all',
      tableKeys: 'aws-managed',
      budgetDollars: 1_234,
      logLevel: 'ERROR',
      logDays: 90,
      runtimes: ['codex'],
      discordGateway: true,
      operators: ['ada@example.com'],
      operatorMaxCents: 1,
      operatorMaxDayCents: 2,
      trials: { budgetMicros: 1_000_000 },
      blockedDomains: ['evil.example'],
      dnsBlockLists: ['rslvr-fdl-0123456789abcdef'],
    },
  ],
  bareAgain: ['prod', base],
  productionWithDomain: ['production', { ...base, domain, mailDomain, pipeline }],
  /** Route 53 hosts the domain of its e-mail. */
  routed: ['prod', { ...base, mailDomain: { ...mailDomain, hostedZoneId: 'Z123' } }],
  listening: ['prod', { ...base, discordGateway: true }],
  /** The operator pushes the machines' image. */
  ownImage: ['prod', { ...base, imageVersion: 'mine-1' }],
  dev: ['dev', { account: base.account, region: base.region }],
  localWithOrigin: ['local', { origin: 'http://127.0.0.1:9000/' }],
} satisfies Record<string, [stage: string, settings: StageSettings]>

/** The assembly that `npm start` runs, from its own cache. */
export const local = async (): Promise<Synthesis> => read(await synthesise(root))

/** The assembly of each stage, made once for the same code; templates do not depend on a bundle's content. */
export async function deployments(): Promise<Record<keyof typeof stages, Synthesis>> {
  const folder = await cached(root, 'deployments', [...synthReads, 'test/lib'], (out) =>
    assembling({
      stubs: join(out, 'stubs'),
      assemblies: Object.entries(stages).map(([name, [stage, settings]]) => ({
        stage,
        settings,
        folder: join(out, name),
        checked: name === 'production',
      })),
    }),
  )
  const all = Object.keys(stages).map((name) => [name, read(join(folder, name))])
  return Object.fromEntries(all) // safe because there is an assembly of each stage
}

/** The command that makes assemblies. */
export const assembling = (wanted: Wanted) => ({
  args: [join(root, 'test/lib/assemble.ts'), JSON.stringify(wanted)],
  env: compiled,
})

/** The one file of an assembly whose name has this end. */
export function fileOf(folder: string, end: string): string {
  const found = readdirSync(folder).find((name) => name.endsWith(end))
  if (!found) throw new Error(`there is no file …${end} in ${folder}`)
  return join(folder, found)
}

function read(folder: string): Synthesis {
  const template = (stack: string) => JSON.parse(readFileSync(fileOf(folder, `-${stack}.template.json`), 'utf8'))
  const [state, service] = [template('state'), template('service')]
  const stacks = { state: state.Resources, service: service.Resources }
  const outputs = { state: state.Outputs, service: service.Outputs }
  const parameters = { state: state.Parameters ?? {}, service: service.Parameters ?? {} }
  const conditions = { state: state.Conditions ?? {}, service: service.Conditions ?? {} }
  const resources = Object.values(stacks).flatMap((stack) => Object.entries<Resource>(stack))
  return {
    folder,
    stacks,
    outputs,
    parameters,
    conditions,
    resources,
    ofType: (type) => resources.filter(([, resource]) => resource.Type === type),
  }
}

/** The folder of an area's function in `npm start`'s assembly, with its bundle as at its first call. */
export async function bundledFolder(assembly: Synthesis, area: string): Promise<string> {
  const folder = codeFolder(assembly, area)
  await functionCode(assembly.folder, () => {}).refresh(folder)
  return folder
}

function codeFolder({ folder, ofType }: Synthesis, area: string): string {
  const { files } = JSON.parse(readFileSync(fileOf(folder, '-service.assets.json'), 'utf8'))
  const found = ofType('AWS::Lambda::Function').find(
    ([, resource]) => resource.Properties.FunctionName === `berth-local-${area}`,
  )
  const { source } = files[String(at(found?.[1].Properties, 'Code', 'S3Key')).replace('.zip', '')]
  if (source.packaging !== 'zip') throw new Error(`the code of ${area} is not packed`)
  return join(folder, source.path)
}

/** Logical id of the function behind an alias, from a reference to the alias; undefined for other values. */
export function aliased({ ofType }: Synthesis, value: unknown): unknown {
  const [, id] = /"Ref":"([^"]+)"/.exec(JSON.stringify(value) ?? '') ?? []
  const found = ofType('AWS::Lambda::Alias').find(([alias]) => alias === id)
  return at(found?.[1].Properties.FunctionName, 'Ref')
}

/** A value of the template at a path of properties; undefined if there is none. */
export function at(value: unknown, ...path: (string | number)[]): unknown {
  let here: unknown = value
  for (const key of path) here = (here as Record<string, unknown> | undefined)?.[key] // safe because a missing step gives undefined
  return here
}

/** The statements of a policy document, with actions and resources as lists. */
export interface Statement {
  effect: string
  actions: string[]
  resources: unknown[]
  conditions: unknown
}

/** All policy documents of a template, each with the logical id of its role. */
export const policiesOf = ({ ofType }: Synthesis): [role: unknown, document: unknown][] => [
  ...ofType('AWS::IAM::Policy').map(([, { Properties }]): [unknown, unknown] => [
    at(Properties.Roles, 0, 'Ref'),
    Properties.PolicyDocument,
  ]),
  ...ofType('AWS::IAM::Role').flatMap(([id, { Properties }]) =>
    ((Properties.Policies ?? []) as { PolicyDocument: unknown }[]) // safe because a role's policies have documents
      .map(({ PolicyDocument }): [unknown, unknown] => [id, PolicyDocument]),
  ),
]

export function statementsOf(document: unknown): Statement[] {
  const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value])
  return list(at(document, 'Statement')).map((statement) => ({
    effect: String(at(statement, 'Effect')),
    actions: list(at(statement, 'Action')).map(String),
    resources: list(at(statement, 'Resource')),
    conditions: at(statement, 'Condition'),
  }))
}
