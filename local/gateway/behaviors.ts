/** The distribution's paths to the API besides the stage's own, and the headers that it adds there. */
import { asList, asObject, asText } from '../template/json.ts'
import type { Template } from '../template/template.ts'

export interface Behavior {
  /** The API's path, including the stage. */
  target: string
  headers: Record<string, string>
  /** Time limit for the first byte of an answer, ms. */
  readTimeoutMs: number
}

/** @param path without the query. Null for paths of pages */
export type Behaviors = (path: string) => Behavior | null

/** CloudFront's default. */
const usualReadSeconds = 30

/** @param url replaces the distribution's own address in headers */
export function apiBehaviors(template: Template, url: string): Behaviors {
  const config = asObject(template.ofType('AWS::CloudFront::Distribution')[0]?.properties.DistributionConfig)
  const origins = new Map(asList(config.Origins).map((origin) => [asText(asObject(origin).Id), asObject(origin)]))
  const policies = template.ofType('AWS::CloudFront::ResponseHeadersPolicy')
  const behaviors = asList(config.CacheBehaviors).flatMap((each) => {
    const { PathPattern, TargetOriginId, ResponseHeadersPolicyId } = asObject(each)
    const origin = origins.get(asText(TargetOriginId))
    if (!origin?.CustomOriginConfig) return []
    const policy = policies.find(({ ref }) => ref === ResponseHeadersPolicyId)
    const custom = asObject(asObject(policy?.properties.ResponseHeadersPolicyConfig).CustomHeadersConfig)
    const headers = asList(custom.Items ?? []).map((item) => {
      const { Header, Value } = asObject(item)
      return [asText(Header).toLowerCase(), asText(Value).replace(/https?:\/\/[^/"]+/, url)]
    })
    return [
      {
        fits: matcher(asText(PathPattern)),
        prefix: asText(origin.OriginPath),
        headers: Object.fromEntries(headers),
        readTimeoutMs: Number(asObject(origin.CustomOriginConfig).OriginReadTimeout ?? usualReadSeconds) * 1000,
      },
    ]
  })
  return (path) => {
    const behavior = behaviors.find(({ fits }) => fits(path))
    if (!behavior) return null
    const { prefix, headers, readTimeoutMs } = behavior
    return { target: `${prefix}${path}`, headers, readTimeoutMs }
  }
}

/** Supports `*` and `?`. */
function matcher(pattern: string): (path: string) => boolean {
  const escaped = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
  const expression = new RegExp(`^${escaped}$`)
  return (path) => expression.test(path)
}
