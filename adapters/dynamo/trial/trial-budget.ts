import * as z from 'zod'
import type { TrialBudget } from '../../../app/ports/trial.ts'
import { unsignedMicros } from '../../../domain/money.ts'
import { dateOf, secondMs } from '../../../domain/time.ts'
import { readTerms, type TrialDay } from '../../../domain/trial/terms.ts'
import type { Env } from '../../env.ts'
import { getMany, putNew, removed } from '../calls.ts'
import { parse, toItem } from '../item.ts'
import { dayId, switchId } from './keys.ts'

const given = z.object({ given: unsignedMicros.default(0), trials: z.int().default(0) })
const stop = z.object({ reason: z.string() })

/** Maximum age of the cached budget, ms. */
const recentMs = 5 * secondMs

/** The terms come from the environment, the amounts from the table. */
export function trialBudget(env: Env): TrialBudget {
  const table = () => env.table('trials')
  let kept: { atMs: number; day: TrialDay } | undefined

  async function day(nowMs: number): Promise<TrialDay> {
    const ids = [dayId(dateOf(nowMs)), switchId]
    const items = await getMany(
      table(),
      ids.map((id) => toItem({ id })),
    )
    const [counted, stopped] = ids.map((id) => items.find((item) => item.id?.S === id))
    const { given: givenMicros, trials } = parse(given, counted ?? {})
    return { givenMicros, trials, stopped: stopped ? parse(stop, stopped).reason : null }
  }

  return {
    terms: () => readTerms(env.variable('TRIAL')),
    day,

    async recentDay(nowMs) {
      const ageMs = kept ? nowMs - kept.atMs : recentMs
      if (!kept || ageMs < 0 || ageMs >= recentMs) kept = { atMs: nowMs, day: await day(nowMs) }
      return kept.day
    },

    stop: async (reason, at, ...also) => (await putNew(table(), 'id', { id: switchId, reason, at }, ...also)).done,

    resume: (...also) =>
      removed({ table: table(), key: { id: switchId }, condition: 'attribute_exists(#id)' }, ...also),
  }
}
