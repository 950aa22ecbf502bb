import { unpaidIn } from '../../../agent/runtimes/unpaid.ts'
import { type Caps, capReached } from '../../../domain/wallet/limits.ts'
import { walletEmpty, walletSuspended } from '../../../domain/wallet/payment-required.ts'

const caps: Caps = { day: 1_000_000, chat: 2_500_000, schedule: 0, heartbeat: 0, tool: 0, api: 0 }

describe('a failure for lack of money', () => {
  it.each([walletEmpty(), walletSuspended(), capReached(caps, 'day', 0), capReached(caps, 'chat', 0)])(
    'is recognised in a program’s message: $message',
    ({ message }) => {
      const body = JSON.stringify({ type: 'error', error: { type: 'billing_error', message } })
      expect(unpaidIn(`API Error: 402 ${body} (request 7)`)).toBe(message)
      expect(unpaidIn(`402 ${message}`)).toBe(message)
    },
  )

  it.each(['wallet-empty', 'spending-limit', 'wallet-suspended'])('is recognised by its code, %s', (code) => {
    expect(unpaidIn(`402 {"error":{"code":"${code}"}}`)).toContain('wallet page')
  })

  it('is not confused with other failures', () => {
    expect(unpaidIn('429 Too many requests.')).toBeUndefined()
    expect(unpaidIn('My wallet is empty, said the old man.')).toBeUndefined()
  })
})
