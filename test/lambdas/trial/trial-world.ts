import type { TrialTerms } from '../../../domain/trial/terms.ts'
import { accountArea } from '../../../lambdas/account/index.ts'
import { authArea } from '../../../lambdas/auth/index.ts'
import { startTrial } from '../../../lambdas/auth/start-trial.ts'
import { channelsArea } from '../../../lambdas/channels/index.ts'
import { hooksArea } from '../../../lambdas/hooks/index.ts'
import { instanceArea } from '../../../lambdas/instance/index.ts'
import { publicArea } from '../../../lambdas/public/index.ts'
import { walletArea } from '../../../lambdas/wallet/index.ts'
import { openWorld } from '../../world.ts'

export const credit = 250_000

/** A test stage's terms, unless the test changes them. */
const generous: TrialTerms = {
  budgetMicros: 10 ** 9,
  creditMicros: credit,
  hours: 24,
  perNetwork: 10_000,
  perDomain: 10_000,
}

/** A stage with trials whose terms tests can change. */
export async function openTrialWorld() {
  const stage: { terms: TrialTerms | null } = { terms: generous }
  const world = await openWorld({
    areas: [publicArea, authArea, accountArea, walletArea, instanceArea, hooksArea, channelsArea],
    ports: ['trials', 'trialBudget', 'gracePeriods', 'mail', 'outbox', 'payments', 'erasure', 'conversations'],
    replace: ({ trialBudget }) => ({ trialBudget: { ...trialBudget, terms: () => stage.terms } }),
  })
  const { ports } = world
  const setTerms = (change: Partial<TrialTerms> | null) => {
    stage.terms = change && { ...generous, ...change }
  }
  /** A user who has just signed in. */
  async function visitor(email?: string) {
    const id = world.newUserId()
    const { user } = await ports.users.findOrCreate(email ?? `${id.toLowerCase()}@example.com`, id, world.clock.nowMs)
    await ports.wallets.open(user.id)
    const { headers } = await world.session(user.id)
    const tryIt = (ip = '192.0.2.1') => world.request({ operation: startTrial, path: '/trial', headers, ip })
    return { userId: user.id, email: user.email, headers, tryIt }
  }
  /** The sum of trial credit in these users' ledgers, in µUSD. */
  async function givenTo(userIds: readonly string[]): Promise<number> {
    let sum = 0
    for (const userId of userIds)
      for await (const { type, amountMicros } of ports.wallets.lines(userId, 0, 2 ** 47))
        if (type === 'trial_credit') sum += amountMicros
    return sum
  }
  return { ...world, setTerms, visitor, givenTo }
}

export type TrialWorld = Awaited<ReturnType<typeof openTrialWorld>>
