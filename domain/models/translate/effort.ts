import type { PricedModel } from '../model.ts'

/** Effort of thinking; a model that cannot think would refuse it. */

export const takesEffort = ({ provider, upstreamModel }: Pick<PricedModel, 'provider' | 'upstreamModel'>): boolean =>
  provider === 'openrouter' || (provider === 'openai' && /^(gpt-[5-9]|o\d)/.test(upstreamModel))

/** From Anthropic's effort to OpenAI's. */
export const effortOf = (effort: string): string => (effort === 'max' || effort === 'xhigh' ? 'high' : effort)

/** OpenAI's effort for a budget of thinking tokens. */
export const effortOfBudget = (tokens: number): string => (tokens < 4_096 ? 'low' : tokens < 16_384 ? 'medium' : 'high')

/** Share of the output that a Claude may think in, by effort. */
const shares: Readonly<Record<string, number>> = { low: 0.2, medium: 0.5, high: 0.8, xhigh: 0.9 }

/** The smallest budget that a Claude accepts, tokens. */
const leastBudget = 1_024

/** 4.6 as 4.06; null for any other model. */
function claudeVersion({ upstreamModel }: Pick<PricedModel, 'upstreamModel'>): number | null {
  const [, major, minor = '0'] = /claude-[a-z]+-(\d{1,2})(?:-(\d{1,2}))?(?!\d)/.exec(upstreamModel) ?? []
  return major === undefined ? null : Number(major) + Number(minor) / 100
}

/** Claudes after 4.6 take no temperature. */
export const takesTemperature = (model: Pick<PricedModel, 'upstreamModel'>): boolean =>
  (claudeVersion(model) ?? 0) < 4.07

/**
 * Claudes since 4.6 choose the length of thinking. Earlier ones get a budget, and must not think after a tool's result,
 * because the thoughts before it are missing here.
 */
export function thinkingFor(
  effort: string | null,
  model: Pick<PricedModel, 'upstreamModel'>,
  outputTokens: number,
  afterResult: boolean,
) {
  const share = effort === null ? undefined : shares[effort]
  const version = claudeVersion(model)
  if (share === undefined || version === null) return {}
  if (version >= 4.06) {
    const asked: 'low' | 'medium' | 'high' = effort === 'low' || effort === 'medium' ? effort : 'high'
    return { thinking: { type: 'adaptive' as const }, effort: asked }
  }
  const budget_tokens = Math.floor(outputTokens * share)
  if (afterResult || budget_tokens < leastBudget) return {}
  return { thinking: { type: 'enabled' as const, budget_tokens } }
}
