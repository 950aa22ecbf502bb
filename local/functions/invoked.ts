/** The template's functions by their own ARN and by the ARNs of their aliases. Here each function has one version. */
import type { Resource, Template } from '../template/template.ts'

interface Invoked {
  /** Includes the alias, if any. */
  arn: string
  fn: Resource
}

type Resources = Pick<Template, 'ofType'>

/** @throws for an alias of an unknown function */
export function invokedIn(template: Resources): Invoked[] {
  const functions = template.ofType('AWS::Lambda::Function')
  const aliased = template.ofType('AWS::Lambda::Alias').map(({ arn, logicalId, properties }) => {
    const fn = functions.find(({ name }) => name === properties.FunctionName)
    if (!fn) throw new Error(`${logicalId} is an alias of what is no function of the template`)
    return { arn, fn }
  })
  return [...functions.map((fn) => ({ arn: fn.arn, fn })), ...aliased]
}

export const invokedBy = (template: Resources, nameOrArn: string): Invoked | undefined =>
  invokedIn(template).find(({ arn }) => arn === nameOrArn || arn.endsWith(`:function:${nameOrArn}`))

export const nameIn = (functionArn: string): string => functionArn.split(':')[6] ?? functionArn
