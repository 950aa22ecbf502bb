import { DomainError } from '../../../domain/errors.ts'
import {
  decideHold,
  decideLateSettle,
  decideSettle,
  type HoldEvent,
  type HoldState,
  holdTtlMs,
  nextHoldState,
} from '../../../domain/wallet/holds.ts'
import { type Balances, decideCredit, decideDebit, differences } from '../../../domain/wallet/ledger.ts'
import { newWallet, type WalletState } from '../../../domain/wallet/state.ts'
import { isBalanced } from './balanced.ts'

/** A small fast random number generator: a million cases take seconds, and each is reproducible by its seed. */
export function randomOf(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

interface Payment {
  credited: number
  debited: number
}

/** One wallet with its ledger and payments in memory, changed only by the domain's own rules. */
class ModelWallet {
  state: WalletState = { ...newWallet('usr_x'), generation: 1 }
  ledger: number[] = []
  readonly calls = new Map<string, HoldState>()
  readonly payments: Payment[] = []
  readonly debits: { payment: number; micros: number; undone: boolean }[] = []
  /** The total charge of each call: the ledger must never charge more than its cost. */
  readonly charged = new Map<string, number>()
  now = 0

  hold(callId: string, bound: number, minimum: number): void {
    const ask = { boundMicros: bound, minimumMicros: Math.min(minimum, bound), generation: 1 }
    try {
      const micros = decideHold(this.state, ask, this.now)
      const hold = { micros, expiresMs: this.now + holdTtlMs, trigger: 'chat' as const }
      const available = this.state.available - micros
      this.state = { ...this.state, available, holds: { ...this.state.holds, [callId]: hold } }
      this.calls.set(callId, 'open')
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
    }
  }

  end(callId: string, verb: HoldEvent, cost: number): void {
    const from = this.calls.get(callId) ?? 'settled'
    const to = nextHoldState(from, verb)
    if (!to) return
    this.calls.set(callId, to)
    const late = from === 'expired'
    const move = late
      ? decideLateSettle(this.state, cost)
      : decideSettle(this.state, callId, verb === 'settle' ? cost : 0)
    const { [callId]: _, ...holds } = this.state.holds
    this.#write(move)
    this.state = { ...this.state, holds }
    this.charged.set(callId, (this.charged.get(callId) ?? 0) + move.costMicros)
    if ((this.charged.get(callId) ?? 0) > cost) throw new Error('a call was charged more than it cost')
  }

  credit(micros: number): void {
    this.payments.push({ credited: micros, debited: 0 })
    this.#write(decideCredit(this.state, micros))
  }

  debit(which: number, asked: number): void {
    const payment = this.payments[which]
    if (!payment) return
    const micros = Math.min(asked, payment.credited - payment.debited)
    if (micros === 0) return
    payment.debited += micros
    this.debits.push({ payment: which, micros, undone: false })
    this.#write(decideDebit(this.state, micros))
  }

  undo(which: number): void {
    const debit = this.debits[which]
    const payment = debit && this.payments[debit.payment]
    if (!debit || !payment || debit.undone) return
    debit.undone = true
    payment.debited -= debit.micros
    this.#write(decideCredit(this.state, debit.micros))
  }

  /** Throws unless the books balance and the ledger alone rebuilds the wallet. */
  check(): void {
    const sum = this.ledger.reduce((all, micros) => all + micros, 0)
    if (!isBalanced(this.state)) throw new Error(`the books do not balance: ${JSON.stringify(this.state)}`)
    const found = differences(this.state, sum)
    if (found.length > 0) throw new Error(found.join('; '))
    if (this.payments.some(({ credited, debited }) => debited < 0 || debited > credited))
      throw new Error('more was taken back of a payment than it credited')
  }

  #write({ available, total, owed }: Balances): void {
    this.ledger.push(total - this.state.total)
    this.state = { ...this.state, available, total, owed }
  }
}

/** One random interleaving: every verb in any order on any call, some twice or late, with a check after every step. */
export function interleave(seed: number, steps: number): void {
  const random = randomOf(seed)
  const wallet = new ModelWallet()
  if (random(4) > 0) wallet.credit(1 + random(5_000))
  for (let step = 0; step < steps; step++) {
    const callId = `call_${random(step + 1)}`
    const verb = random(10)
    if (verb < 4) wallet.hold(`call_${step}`, 1 + random(3_000), random(500))
    else if (verb === 4) wallet.end(callId, 'settle', random(4_000))
    else if (verb === 5) wallet.end(callId, 'void', 0)
    else if (verb === 6) wallet.end(callId, 'expire', 0)
    else if (verb === 7) wallet.credit(1 + random(4_000))
    else if (verb === 8) wallet.debit(random(4), 1 + random(5_000))
    else wallet.undo(random(4))
    wallet.check()
  }
}
