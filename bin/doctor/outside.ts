import { resolve4, resolveCname } from 'node:dns/promises'
import { tryKey } from '../../adapters/models/try-key.ts'
import { providersSecret, type Upstream } from '../../adapters/models/upstream.ts'
import { apiVersion, stripeFacts } from '../../adapters/stripe/operator.ts'
import { type Finding, well } from '../channels/setup.ts'
import { smokeTest } from '../deploy/smoke.ts'
import type { DoctorCheck, DoctorContext } from './context.ts'

/** Maximum clock difference, ms. AWS and Stripe accept signatures for five minutes. */
const clockMs = 60_000

export function outsideChecks({ stage, calls, stacks, readSecret }: DoctorContext): DoctorCheck[] {
  const { Origin = '', DistributionHost = '', StripeWebhook = '' } = stacks.service.outputs

  async function answers(): Promise<Finding> {
    const failed = await smokeTest(Origin, 0, () => {})
    return failed.length === 0 ? well(Origin) : { found: failed.join('; '), problem: 'Read the functions’ logs' }
  }

  async function clock(): Promise<Finding> {
    const answer = await fetch(`${Origin}/api/health`, { signal: AbortSignal.timeout(30_000) })
    const apart = Math.abs(Date.parse(answer.headers.get('date') ?? '') - Date.now())
    const found = `${(apart / 1_000).toFixed(0)} s from the service’s`
    return { found, problem: apart < clockMs ? null : 'Set this machine’s clock (NTP)' }
  }

  async function dns(): Promise<Finding> {
    const name = stage.domain?.name
    if (name === undefined) return well(`no domain of its own: ${DistributionHost}`)
    const [names = [], ours = [], theirs = []]: string[][] = await Promise.all([
      resolveCname(name).catch(() => []),
      resolve4(name).catch(() => []),
      resolve4(DistributionHost).catch(() => []),
    ])
    const leads = names.includes(DistributionHost) || ours.some((address) => theirs.includes(address))
    return leads
      ? well(`${name} resolves to ${DistributionHost}`)
      : {
          found: `${name} resolves to ${[...names, ...ours].join(', ') || 'nothing'}`,
          problem: `Make the name a CNAME or an alias of ${DistributionHost}`,
        }
  }

  async function stripe(): Promise<Finding> {
    const facts = await stripeFacts(await readSecret('stripe'), StripeWebhook)
    if (facts === null)
      return { found: 'no key', problem: `Put the key into the secret stripe of the stage (docs/deploy.md)` }
    const { endpoint, live, missingPrices, signed } = facts
    const problems = [
      ...(missingPrices.length > 0 ? [`Create an active price with the lookup key ${missingPrices.join(', ')}`] : []),
      ...(signed ? [] : ['Put the endpoint’s signing secret into webhookSecrets']),
      ...(endpoint === null ? [`Create a webhook endpoint for ${StripeWebhook}`] : []),
      ...(endpoint?.enabled === false ? ['Enable the endpoint'] : []),
      ...(endpoint && endpoint.apiVersion !== apiVersion ? [`Set the endpoint’s API version to ${apiVersion}`] : []),
      ...(endpoint && endpoint.missing.length > 0 ? [`Subscribe the endpoint to ${endpoint.missing.join(', ')}`] : []),
    ]
    return { found: live ? 'a live key' : 'a test key', problem: problems.length > 0 ? problems.join('; ') : null }
  }

  async function providers(): Promise<Finding> {
    const all = Object.entries(providersSecret.parse(await readSecret('providers')))
    if (all.length === 0)
      return { found: 'none', problem: `Put a provider into the secret providers of the stage (docs/deploy.md)` }
    if (!calls) return well(`${all.map(([name]) => name).join(', ')}, not called`)
    const findings = await Promise.all(all.map(([name, upstream]) => provider(name, upstream)))
    const problems = findings.flatMap(({ problem }) => (problem ? [problem] : []))
    return {
      found: findings.map((each) => each.found).join(', '),
      problem: problems.length > 0 ? problems.join('; ') : null,
    }
  }

  return [
    { name: 'the service answers', look: answers },
    { name: 'clock', look: clock },
    { name: 'DNS', look: dns },
    { name: 'Stripe', look: stripe },
    { name: 'model providers', look: providers },
  ]
}

async function provider(name: string, upstream: Upstream): Promise<Finding> {
  // An upstream's answer may contain the key, so only its status is printed.
  const tried = await tryKey(name, upstream).catch(() => ({ model: name, status: 0 }))
  if (tried === null) return { found: name, problem: `${name} has no key, or no model with a price` }
  const { model, status } = tried
  if (status >= 200 && status < 300) return well(`${model} answers`)
  if (status === 0) return { found: name, problem: `${name} cannot be reached at its baseUrl` }
  if (status === 401 || status === 403) return { found: name, problem: `${name} refuses its key (${status})` }
  return { found: name, problem: `${model} answered ${status}` }
}
