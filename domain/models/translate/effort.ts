import type { PricedModel } from '../model.ts'

/** How much a model should think, which a model that cannot would take for a mistake. */

/** Whether a model of OpenAI's formats takes an effort. */
export const takesEffort = ({ provider, upstreamModel }: Pick<PricedModel, 'provider' | 'upstreamModel'>): boolean =>
  provider === 'openrouter' || (provider === 'openai' && /^(gpt-[5-9]|o\d)/.test(upstreamModel))

/** OpenAI's effort for Anthropic's. */
export const effortOf = (effort: string): string => (effort === 'max' || effort === 'xhigh' ? 'high' : effort)

/** OpenAI's effort for so many tokens of thinking. */
export const effortOfBudget = (tokens: number): string => (tokens < 4_096 ? 'low' : tokens < 16_384 ? 'medium' : 'high')

/** Part of the output that a Claude may think in, by effort. */
const shares: Readonly<Record<string, number>> = { low: 0.2, medium: 0.5, high: 0.8, xhigh: 0.9 }

/** The fewest tokens a Claude can be given to think in. */
const leastBudget = 1_024

/** The version of a Claude, 4.6 as 4.06; null for any other model. */
function claudeVersion({ upstreamModel }: Pick<PricedModel, 'upstreamModel'>): number | null {
  const [, major, minor = '0'] = /claude-[a-z]+-(\d{1,2})(?:-(\d{1,2}))?(?!\d)/.exec(upstreamModel) ?? []
  return major === undefined ? null : Number(major) + Number(minor) / 100
}

/** Whether a model of Anthropic's format takes a temperature: Claudes after 4.6 do not. */
export const takesTemperature = (model: Pick<PricedModel, 'upstreamModel'>): boolean =>
  (claudeVersion(model) ?? 0) < 4.07

/**
 * The thinking of a Claude within its output limit. Those since 4.6 decide for themselves how long; those before are given
 * a number of tokens, and must not think where the thoughts before a tool's result are missing, as they are here.
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
