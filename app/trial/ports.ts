import type { UserRecord } from '../../domain/account/user.ts'
import type { TrialDay, TrialTerms } from '../../domain/trial/terms.ts'
import type { Trial, TrialRefusal } from '../../domain/trial/trial.ts'

/** The stage's budget for trials, and the amount given today. */
export interface TrialBudget {
  /** Null where there are no trials. */
  terms(): TrialTerms | null
  /** The amount given on the UTC day of this instant. */
  day(nowMs: number): Promise<TrialDay>
  /** The same, a few seconds old at most: for what anybody may ask as often as they like. */
  recentDay(nowMs: number): Promise<TrialDay>
  /** No trial begins from now on; false when that is so already. */
  stop(reason: string, at: string): Promise<boolean>
  /** False when nobody had stopped them. */
  resume(): Promise<boolean>
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
   * Gives an account its trial: the budget of the day of its start, the counts of network and mail domain, the mailbox,
   * the account's mark, the credit with its line and the time that its files are kept are one transaction. Null when it
   * was done, else what was in the way.
   */
  start(request: TrialRequest): Promise<TrialRefusal | null>
  /**
   * Ends a trial that is not over by itself yet, and makes what follows from its end due. False when there is none
   * such.
   */
  end(userId: string, nowMs: number): Promise<boolean>
}
