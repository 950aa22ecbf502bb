import { StringParameter } from 'aws-cdk-lib/aws-ssm'
import { Construct } from 'constructs'
import type { TableName } from '../../adapters/dynamo/tables.ts'
import type { SecretName } from '../../adapters/registry.ts'
import { stateParameter } from '../parameters.ts'

/**
 * Generated names and ids of the state stack. An SSM parameter holds each, not an export: CloudFormation refuses to
 * remove an export that another stack still imports, so the release that stops using one would fail.
 */
export type StateValue =
  | `tables/${TableName}`
  | `streams/${TableName}`
  | `secrets/${SecretName}`
  | 'network/vpc'
  | 'network/subnets'
  | 'network/machines'
  | 'volumes/file-system'
  | 'files/bucket'
  | 'bus/name'
  | 'schedules/group'
  | 'schedules/role'
  | 'schedules/dead-letters'
  | 'variables/key'
  | 'images/repository'
  | 'images/project'

/** Parameters that CloudFormation writes at the same time. Parameter Store refuses more than a few writes a second. */
const lanes = 3

/** Writes the values. They belong to this construct's stack, and are deleted with it. */
export class PublishedValues extends Construct {
  constructor(scope: Construct, id: string, stage: string, values: Partial<Record<StateValue, string>>) {
    super(scope, id)
    const all = Object.entries(values).map(
      ([name, stringValue]) =>
        new StringParameter(this, idOf(name), { parameterName: stateParameter(stage, name), stringValue }),
    )
    for (const [i, parameter] of all.slice(lanes).entries()) parameter.node.addDependency(...all.slice(i, i + 1))
  }
}

/** The values of all resources of a kind that have one, by the resources' own names. */
export const valuesIn = <T>(
  folder: string,
  resources: Record<string, T>,
  value: (resource: T) => string | undefined,
): Partial<Record<StateValue, string>> =>
  Object.fromEntries(
    Object.entries(resources).flatMap(([name, resource]) => {
      const found = value(resource)
      return found === undefined ? [] : [[`${folder}/${name}`, found]]
    }),
  )

/** Reads a value in another stack, by a template parameter. Call this once for each value of a scope. */
export const readValue = (scope: Construct, stage: string, name: StateValue): string =>
  StringParameter.fromStringParameterName(scope, idOf(name), stateParameter(stage, name)).stringValue

const idOf = (name: string): string => name.replace('/', '-')
