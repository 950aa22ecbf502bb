import type { UserRecord } from '../../domain/account/user.ts'
import type { TrialDay, TrialTerms } from '../../domain/trial/terms.ts'
import type { Trial, TrialRefusal } from '../../domain/trial/trial.ts'
import type { Part } from './part.ts'

export interface TrialBudget {
  /** Null on a stage without trials. */
  terms(): TrialTerms | null
  /** The amounts of this instant's UTC day. */
  day(nowMs: number): Promise<TrialDay>
  /** Like `day`, but a few seconds old at most: for public requests of any number. */
  recentDay(nowMs: number): Promise<TrialDay>
  /** False when trials were stopped before. */
  stop(reason: string, at: string, ...also: Part[]): Promise<boolean>
  /** False when trials were not stopped. */
  resume(...also: Part[]): Promise<boolean>
}

export interface TrialRequest {
  user: Pick<UserRecord, 'id' | 'email'>
  trial: Trial
  terms: TrialTerms
  /** The subject of its daily limit: an IPv4 address, or an IPv6 /64. */
  network: string
}

export interface Trials {
  /**
   * One transaction: the day's budget, the counts of network and mail domain, the mailbox, the account's mark, the
   * credit with its ledger line, and the grace period. Null when it was done, otherwise the reason of the refusal.
   */
  start(request: TrialRequest, ...also: Part[]): Promise<TrialRefusal | null>
  /** Ends a running trial early, and makes its follow-ups due. False when there is none. */
  end(userId: string, nowMs: number): Promise<boolean>
}
