/**
 * The paths that the template's distribution sends to the API besides the stage's own, and the headers it adds there.
 */
import { asList, asObject, asText } from './json.ts'
import type { Template } from './template.ts'

export interface Behavior {
  /** The path at the API, its stage included. */
  target: string
  headers: Record<string, string>
  /** How long the distribution waits for the beginning of an answer, ms. */
  readTimeoutMs: number
}

/** The behaviour for a path, query excluded; null where the pages are. */
export type Behaviors = (path: string) => Behavior | null

/** CloudFront's own, unless the template says another. */
const usualReadSeconds = 30

/** @param url the address that is served here, for the distribution's own in its headers */
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
    const found = behaviors.find(({ fits }) => fits(path))
    if (!found) return null
    const { prefix, headers, readTimeoutMs } = found
    return { target: `${prefix}${path}`, headers, readTimeoutMs }
  }
}

/** A star stands for any characters, a question mark for one. */
function matcher(pattern: string): (path: string) => boolean {
  const escaped = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
  const expression = new RegExp(`^${escaped}$`)
  return (path) => expression.test(path)
}
