import * as z from 'zod'

/** Types that ministack does not know, or whose making needs our code; `Custom::` stands for all that begin so. */
export const leftOut = [
  'AWS::Budgets::Budget',
  'AWS::CodeDeploy::Application',
  'AWS::CodeDeploy::DeploymentGroup',
  'AWS::EC2::FlowLog',
  'AWS::EC2::SecurityGroupEgress',
  'AWS::EC2::SecurityGroupIngress',
  'AWS::ECS::ClusterCapacityProviderAssociations',
  'AWS::Route53Resolver::ResolverQueryLoggingConfig',
  'AWS::Route53Resolver::ResolverQueryLoggingConfigAssociation',
  'AWS::WAFv2::LoggingConfiguration',
  'AWS::WAFv2::WebACLAssociation',
  'Custom::',
]

const resource = z.looseObject({
  Type: z.string(),
  Properties: z.record(z.string(), z.unknown()).optional(),
  DependsOn: z.union([z.string(), z.array(z.string())]).optional(),
  DeletionPolicy: z.string().optional(),
})
const template = z.looseObject({
  Resources: z.record(z.string(), resource),
  Parameters: z.record(z.string(), z.looseObject({ Type: z.string(), Default: z.unknown().optional() })).optional(),
})
export type Template = z.infer<typeof template>
export type Resource = z.infer<typeof resource>

export const parseTemplate = (text: string): Template => template.parse(JSON.parse(text))

/** The kind is the resource's type; alarms over several metrics are a kind of their own. */
const kindOf = ({ Type, Properties }: Resource): string =>
  Type === 'AWS::CloudWatch::Alarm' && Properties?.Metrics ? `${Type} with Metrics` : Type

const isLeftOut = (each: Resource): boolean =>
  kindOf(each).endsWith('with Metrics') ||
  leftOut.some((type) => each.Type === type || (type.endsWith('::') && each.Type.startsWith(type)))

/** The template without those resources; a reference to one becomes a constant. */
export function reduce(whole: Template): { reduced: Template; gone: Map<string, string> } {
  const gone = new Map(
    Object.entries(whole.Resources).flatMap(([id, each]) => (isLeftOut(each) ? [[id, kindOf(each)] as const] : [])),
  )
  const constant = (id: string): string => `left-out-${id}`
  const fill = (text: unknown): string =>
    `${text}`.replace(/\$\{(\w+)(\.\w+)?\}/g, (whole, id) => (gone.has(id) ? constant(id) : whole))
  function walk(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(walk)
    if (typeof value !== 'object' || value === null) return value
    const [entry, ...others] = Object.entries(value)
    if (entry && others.length === 0) {
      const [name, of] = entry
      const id = name === 'Ref' ? of : name === 'Fn::GetAtt' && Array.isArray(of) ? of[0] : undefined
      if (typeof id === 'string' && gone.has(id)) return constant(id)
      if (name === 'Fn::Sub') return { [name]: Array.isArray(of) ? [fill(of[0]), walk(of[1])] : fill(of) }
    }
    return Object.fromEntries(Object.entries(value).map(([name, of]) => [name, walk(of)]))
  }
  const kept = Object.entries(whole.Resources).flatMap(([id, each]) => {
    if (gone.has(id)) return []
    const { DependsOn = [], ...rest } = each
    const after = [DependsOn].flat().filter((name) => !gone.has(name))
    return [[id, { ...rest, ...(after.length > 0 && { DependsOn: after }) }]]
  })
  const reduced = template.parse(walk({ ...whole, Resources: Object.fromEntries(kept) }))
  return { reduced, gone }
}
