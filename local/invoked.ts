/**
 * The template's functions as they are invoked: each by its own ARN, and by those of its aliases, which mean the one
 * version there is here.
 */
import type { Resource, Template } from './template.ts'

export interface Invoked {
  /** With the alias's name, if it has one. */
  arn: string
  fn: Resource
}

type Resources = Pick<Template, 'ofType'>

/** Throws for an alias of what is no function of the template. */
export function invokedIn(template: Resources): Invoked[] {
  const functions = template.ofType('AWS::Lambda::Function')
  const aliased = template.ofType('AWS::Lambda::Alias').map(({ arn, logicalId, properties }) => {
    const fn = functions.find(({ name }) => name === properties.FunctionName)
    if (!fn) throw new Error(`${logicalId} is an alias of what is no function of the template`)
    return { arn, fn }
  })
  return [...functions.map((fn) => ({ arn: fn.arn, fn })), ...aliased]
}

/** The resource behind this name or ARN. */
export function invokedBy(template: Resources, nameOrArn: string): Invoked | undefined {
  return invokedIn(template).find(({ arn }) => arn === nameOrArn || arn.endsWith(`:function:${nameOrArn}`))
}

/** The function's name in an ARN by which it is invoked. */
export const nameIn = (functionArn: string): string => functionArn.split(':')[6] ?? functionArn
