/** Reads a synthesised cloud assembly: its resources with local names, ARNs and resolved intrinsics. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { holds, noValue, resolve, type Scope } from './intrinsics.ts'
import { asList, asObject, asText, type Json, type JsonObject } from './json.ts'
import {
  account,
  arnOf,
  attributeOf,
  cloudOnlyReason,
  nameProperties,
  physicalName,
  refOf,
  region,
} from './resource-types.ts'

export interface Resource {
  stack: string
  logicalId: string
  type: string
  ref: string
  /** The physical name in AWS. */
  name: string
  arn: string
  properties: JsonObject
  metadata: JsonObject
}

export interface Template {
  /** Resources that run here, in the order of their stacks. */
  resources: Resource[]
  /** Types without a local counterpart, with the reason. */
  cloudOnly: Map<string, string>
  ofType(...types: string[]): Resource[]
  /** The folder of an asset, by the object key in a function's Code. @throws for an unknown key */
  assetFolder(objectKey: string): string
}

interface Stack {
  name: string
  body: JsonObject
}

/**
 * @param folder a `cdk.out` @param parameters of the template, as a deployment would pass them @throws for an
 * unsupported resource type or intrinsic
 */
export function readTemplate(folder: string, parameters: Record<string, string> = {}): Template {
  const stacks = stacksInOrder(folder)
  const published: Published = new Map()
  const resources: Resource[] = []
  const cloudOnly = new Map<string, string>()
  for (const stack of stacks) {
    const scope = scopeOf(stack, parameters, published)
    for (const [logicalId, raw] of Object.entries(asObject(stack.body.Resources))) {
      const { Type, Properties, Metadata, Condition } = asObject(raw)
      const type = asText(Type)
      if (type === 'AWS::SSM::Parameter') {
        const { Name, Value } = asObject(resolve(Properties ?? {}, scope))
        published.set(asText(Name), asText(Value))
      }
      const reason = cloudOnlyReason(type, `${stack.name}/${logicalId}`)
      if (reason) cloudOnly.set(type, reason)
      if (reason || (Condition !== undefined && !holds(asText(Condition), scope))) continue
      const name = nameOf(stack, logicalId, scope)
      resources.push({
        stack: stack.name,
        logicalId,
        type,
        name,
        ref: asText(scope.ref(logicalId)),
        arn: arnOf(type, name),
        properties: asObject(resolve(Properties ?? {}, scope)),
        metadata: asObject(Metadata),
      })
    }
  }
  const assets = readAssets(folder, stacks)
  return {
    resources,
    cloudOnly,
    ofType: (...types) => resources.filter((resource) => types.includes(resource.type)),
    assetFolder: (objectKey) => {
      const found = assets.get(objectKey)
      if (!found) throw new Error(`The assembly in ${folder} has no asset ${objectKey}`)
      return found
    },
  }
}

const readJson = (path: string): JsonObject => asObject(JSON.parse(readFileSync(path, 'utf8')))

/** Stacks in order of dependencies: SSM parameters exist before they are read. */
function stacksInOrder(folder: string): Stack[] {
  const artifacts = asObject(readJson(join(folder, 'manifest.json')).artifacts)
  const ordered: Stack[] = []
  const seen = new Set<string>()
  const visit = (id: string) => {
    if (seen.has(id)) return
    seen.add(id)
    const artifact = asObject(artifacts[id])
    for (const dependency of asList(artifact.dependencies)) visit(asText(dependency))
    if (artifact.type !== 'aws:cloudformation:stack') return
    const file = asText(asObject(artifact.properties).templateFile)
    ordered.push({ name: asText(asObject(artifact.properties).stackName, id), body: readJson(join(folder, file)) })
  }
  for (const id of Object.keys(artifacts)) visit(id)
  return ordered
}

function readAssets(folder: string, stacks: Stack[]): Map<string, string> {
  const paths = new Map<string, string>()
  for (const { name } of stacks) {
    const path = join(folder, `${name}.assets.json`)
    if (!existsSync(path)) continue
    for (const file of Object.values(asObject(readJson(path).files))) {
      const source = asText(asObject(asObject(file).source).path)
      for (const destination of Object.values(asObject(asObject(file).destinations)))
        paths.set(asText(asObject(destination).objectKey), join(folder, source))
    }
  }
  return paths
}

function nameOf(stack: Stack, logicalId: string, scope: Scope): string {
  const { Type, Properties } = asObject(asObject(stack.body.Resources)[logicalId])
  const type = asText(Type)
  const named = nameProperties(type).flatMap((property) => asObject(Properties)[property] ?? [])
  const name = named.map((part) => asText(resolve(part, scope))).join(':')
  return physicalName(type, stack.name, logicalId, name === '' ? undefined : name)
}

/** Values of SSM parameters that earlier stacks own, by the parameters' names. */
type Published = Map<string, string>

function scopeOf(stack: Stack, parameters: Record<string, string>, published: Published): Scope {
  const pseudo: Record<string, Json> = {
    'AWS::AccountId': account,
    'AWS::NoValue': noValue,
    'AWS::Partition': 'aws',
    'AWS::Region': region,
    'AWS::StackId': `arn:aws:cloudformation:${region}:${account}:stack/${stack.name}/local`,
    'AWS::StackName': stack.name,
    'AWS::URLSuffix': 'amazonaws.com',
  }
  const declared = asObject(stack.body.Parameters)
  const typeOf = (logicalId: string) => {
    const resource = asObject(stack.body.Resources)[logicalId]
    if (resource === undefined)
      throw new Error(`The template refers to ${stack.name}/${logicalId}, which it does not have`)
    return asText(asObject(resource).Type)
  }
  const scope: Scope = {
    mappings: asObject(stack.body.Mappings),
    conditions: asObject(stack.body.Conditions),
    ref: (name) => {
      if (name in pseudo) return pseudo[name] ?? null
      if (name in declared) return parameterOf(name, asObject(declared[name]), parameters, published)
      const type = typeOf(name)
      const physical = nameOf(stack, name, scope)
      return refOf(type, physical, arnOf(type, physical))
    },
    attribute: (logicalId, attribute) => {
      const type = typeOf(logicalId)
      const physical = nameOf(stack, logicalId, scope)
      return attributeOf(type, physical, arnOf(type, physical), attribute)
    },
  }
  return scope
}

function parameterOf(
  name: string,
  declaration: JsonObject,
  values: Record<string, string>,
  published: Published,
): Json {
  const value = values[name] ?? declaration.Default
  if (value === undefined) throw new Error(`The template wants the parameter ${name}: pass it from local/main.ts`)
  if (declaration.Type === 'AWS::SSM::Parameter::Value<String>') {
    const found = published.get(asText(value))
    if (found === undefined)
      throw new Error(`The template reads the SSM parameter ${value}, which no stack before it has`)
    return found
  }
  return declaration.Type === 'CommaDelimitedList' ? asText(value).split(',') : value
}
