/** CloudFormation's intrinsic functions, as far as CDK templates use them. */

import { asList, asObject, asText, isObject, type Json, type JsonObject } from './json.ts'

export interface Scope {
  /** The value of `Ref name`, including pseudo parameters. @throws for an unknown name */
  ref(name: string): Json
  attribute(logicalId: string, attribute: string): Json
  mappings: JsonObject
  conditions: JsonObject
}

/** `AWS::NoValue`: removes its property. */
export const noValue = '\u0000AWS::NoValue'

/** Resolves all intrinsics. @throws for an unknown intrinsic */
export function resolve(value: Json, scope: Scope): Json {
  if (Array.isArray(value)) return value.map((item) => resolve(item, scope)).filter((item) => item !== noValue)
  if (!isObject(value)) return value
  const keys = Object.keys(value)
  const only = keys.length === 1 ? keys[0] : undefined
  if (only === 'Ref' || only === 'Condition' || only?.startsWith('Fn::')) {
    const run = intrinsics[only]
    if (!run)
      throw new Error(
        `The template uses ${only}, which the local runner does not know: add it to local/template/intrinsics.ts`,
      )
    return run(value[only] ?? null, scope)
  }
  const resolved = Object.entries(value).map(([key, item]) => [key, resolve(item, scope)] as const)
  return Object.fromEntries(resolved.filter(([, item]) => item !== noValue))
}

type Intrinsic = (argument: Json, scope: Scope) => Json

const intrinsics: Record<string, Intrinsic> = {
  Ref: (name, scope) => scope.ref(asText(name)),
  Condition: (name, scope) => holds(asText(name), scope),
  'Fn::GetAtt': (argument, scope) => {
    const [id, ...rest] =
      typeof argument === 'string' ? argument.split('.') : asList(argument).map((part) => asText(part))
    return scope.attribute(id ?? '', rest.join('.'))
  },
  'Fn::Join': (argument, scope) => {
    const [separator, parts] = asList(argument)
    return asList(resolve(parts ?? [], scope))
      .map((part) => asText(part))
      .join(asText(separator))
  },
  'Fn::Sub': (argument, scope) => {
    const [text, variables] = typeof argument === 'string' ? [argument, {}] : asList(argument)
    return asText(text).replace(/\$\{(!?)([^}]+)\}/g, (whole, literal: string, name: string) => {
      if (literal) return `\${${name}}`
      const own = asObject(variables)[name]
      if (own !== undefined) return asText(resolve(own, scope))
      const dot = name.indexOf('.')
      return asText(dot < 0 ? scope.ref(name) : scope.attribute(name.slice(0, dot), name.slice(dot + 1)), whole)
    })
  },
  'Fn::Select': (argument, scope) => {
    const [index, list] = asList(argument)
    return asList(resolve(list ?? [], scope))[Number(asText(resolve(index ?? 0, scope)))] ?? ''
  },
  'Fn::Split': (argument, scope) => {
    const [separator, text] = asList(argument)
    return asText(resolve(text ?? '', scope)).split(asText(separator))
  },
  'Fn::FindInMap': (argument, scope) => {
    const [map, first, second] = asList(argument).map((part) => asText(resolve(part, scope)))
    const found = asObject(asObject(scope.mappings[map ?? ''])[first ?? ''])[second ?? '']
    if (found === undefined) throw new Error(`The template has no mapping ${map}.${first}.${second}`)
    return found
  },
  'Fn::If': (argument, scope) => {
    const [condition, yes, no] = asList(argument)
    return resolve((holds(asText(condition), scope) ? yes : no) ?? null, scope)
  },
  'Fn::Equals': (argument, scope) => {
    const [a, b] = asList(resolve(argument, scope))
    return JSON.stringify(a) === JSON.stringify(b)
  },
  'Fn::Not': (argument, scope) => asList(resolve(argument, scope))[0] !== true,
  'Fn::And': (argument, scope) => asList(resolve(argument, scope)).every((item) => item === true),
  'Fn::Or': (argument, scope) => asList(resolve(argument, scope)).some((item) => item === true),
  'Fn::Base64': (argument, scope) => Buffer.from(asText(resolve(argument, scope))).toString('base64'),
  'Fn::GetAZs': () => ['us-east-1a', 'us-east-1b', 'us-east-1c'],
}

export function holds(name: string, scope: Scope): boolean {
  const condition = scope.conditions[name]
  if (condition === undefined) throw new Error(`The template has no condition ${name}`)
  return resolve(condition, scope) === true
}
