import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import { PartRefused } from '../../../app/ports/part.ts'
import type { TrialRequest, Trials } from '../../../app/ports/trial.ts'
import type { UserRecord } from '../../../domain/account/user.ts'
import { shardOf } from '../../../domain/ids.ts'
import { wholeAmount } from '../../../domain/money.ts'
import type { ListedPlan } from '../../../domain/operator/listed-user.ts'
import { dateOf, dayMs, iso } from '../../../domain/time.ts'
import { mailboxOf, mailDomainOf } from '../../../domain/trial/mailbox.ts'
import { trialName } from '../../../domain/trial/trial.ts'
import type { Env } from '../../env.ts'
import { dueInShard, graceAt } from '../billing/grace-periods.ts'
import { changeInput, checkInput, getMany, isBusy, putInput, setting, transact } from '../calls.ts'
import { itemAt } from '../expressions.ts'
import { toItem } from '../item.ts'
import { partOf } from '../part.ts'
import { ledger } from '../wallet/ledger.ts'
import * as beside from '../wallet/writes.ts'
import { dayId, domainId, mailboxId, networkId, switchId } from './keys.ts'

/** Counts are only read on their day; clocks may differ. */
const countsKeptMs = 3 * dayMs

/** Reasons of a refusal, the most important first. */
const reasons = ['stopped', 'mailbox', 'budget', 'network', 'domain'] as const

export function trials(env: Env): Trials {
  const [table, wallets, users] = [env.table('trials'), env.table('wallets'), env.table('users')]

  return {
    async start(request, ...also) {
      const { user, trial, terms } = request
      if (wholeAmount(trial.creditMicros) > terms.budgetMicros) return 'budget'
      const parts = partsOf(table, request)
      const began = partOf([
        ...reasons.map((reason) => parts[reason].write),
        { Update: markInput(users, request) },
        { Update: beside.changeInput({ ...graceAt(wallets, user.id), ...endOf(request) }) },
      ])
      const { creditMicros, startedAt } = trial
      const credit = ['trial', creditMicros, 'trial_credit', 'Trial credit', startedAt] as const
      try {
        return (await ledger(wallets).creditOnce(user.id, ...credit, began, ...also)) ? null : 'busy'
      } catch (error) {
        // Too many trials begin at the same time.
        if (isBusy(error)) return 'busy'
        if (!(error instanceof PartRefused) || error.part !== began) throw error
        return refusalOf(table, parts)
      }
    },

    async end(userId, nowMs) {
      const over = changeInput({
        ...itemAt<'trial' | 'endsAt'>(users, { id: userId }),
        update: 'SET #trial.#endsAt = :now',
        condition: '#trial.#endsAt > :now',
        values: { ':now': iso(nowMs) },
      })
      const due = beside.changeInput({
        ...graceAt(wallets, userId),
        update: 'SET #endedAt = :now, #dueAt = :nowMs',
        condition: 'attribute_exists(#dueAt) AND #subscriptionId = :trial AND #warned = :none',
        values: { ':now': iso(nowMs), ':nowMs': nowMs, ':trial': trialName, ':none': 0 },
      })
      return (await transact([{ Update: over }, { Update: due }])).done
    },
  }
}

/** A counted part of a trial's budget, and whether the stored count allows it. */
interface Part {
  id: string
  write: TransactWriteItem
  refuses(item: Item): boolean
}

type Item = Awaited<ReturnType<typeof getMany>>[number]

function partsOf(table: string, { user, trial, terms, network }: TrialRequest): Record<(typeof reasons)[number], Part> {
  const day = dateOf(Date.parse(trial.startedAt))
  const counted = (id: string, attribute: string, by: number, most: number): Part => ({
    id,
    write: {
      Update: changeInput({
        ...itemAt<'trials'>(table, { id }),
        update: 'SET #ttl = :ttl ADD #counted :by, #trials :one',
        condition: 'attribute_not_exists(#counted) OR #counted <= :room',
        values: {
          ':by': by,
          ':one': 1,
          ':room': most - by,
          ':ttl': Math.ceil((Date.parse(trial.startedAt) + countsKeptMs) / 1000),
        },
        names: { '#counted': attribute },
      }),
    },
    refuses: (item) => Number(item[attribute]?.N ?? 0) > most - by,
  })
  const mailbox = mailboxId(mailboxOf(user.email))
  return {
    stopped: {
      id: switchId,
      write: {
        ConditionCheck: checkInput({ ...itemAt(table, { id: switchId }), condition: 'attribute_not_exists(#id)' }),
      },
      refuses: () => true,
    },
    mailbox: {
      id: mailbox,
      write: { Put: putInput(table, 'id', { id: mailbox, at: trial.startedAt }) },
      refuses: () => true,
    },
    budget: counted(dayId(day), 'given', trial.creditMicros, terms.budgetMicros),
    network: counted(networkId(day, network), 'count', 1, terms.perNetwork),
    domain: counted(domainId(day, mailDomainOf(user.email)), 'count', 1, terms.perDomain),
  }
}

/** `busy` if the budget no longer refuses. */
async function refusalOf(table: string, parts: ReturnType<typeof partsOf>) {
  const items = await getMany(
    table,
    reasons.map((reason) => toItem({ id: parts[reason].id })),
  )
  const found = reasons.find((reason) => {
    const item = items.find(({ id }) => id?.S === parts[reason].id)
    return item && parts[reason].refuses(item)
  })
  return found ?? ('busy' as const)
}

/** Marks the account, on the condition that it is unchanged. */
const markInput = (table: string, { user, trial }: TrialRequest) =>
  changeInput({
    ...itemAt<keyof UserRecord>(table, { id: user.id }),
    update: 'SET #trial = :trial, #listed = :listed',
    condition:
      '#email = :email AND attribute_not_exists(#trial) AND attribute_not_exists(#subscriptionId) AND attribute_not_exists(#eraseAt)',
    values: { ':trial': trial, ':email': user.email, ':listed': 'trial' satisfies ListedPlan },
  })

const endOf = ({ user, trial }: TrialRequest) =>
  setting({
    subscriptionId: trialName,
    endedAt: trial.endsAt,
    warned: 0,
    dueShard: dueInShard(shardOf(user.id)),
    dueAt: Date.parse(trial.endsAt),
  })
