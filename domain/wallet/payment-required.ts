/** The refusals of calls for lack of money, which are answered 402. */
import { DomainError } from '../errors.ts'

export const walletEmpty = (
  message = 'The wallet is empty. Top it up on the wallet page of the dashboard, then try again.',
) => new DomainError('wallet-empty', message)

export const walletOwes = () =>
  walletEmpty(
    'The wallet owes money after a refund or dispute. Top it up on the wallet page of the dashboard; credits pay what is owed first.',
  )

/** The wallet has money, but a limit of its owner leaves too little. */
export const spendingLimit = (message: string) => new DomainError('spending-limit', message)

export const walletSuspended = () =>
  new DomainError(
    'wallet-suspended',
    'The wallet is suspended: nothing can be spent. Reply to any e-mail from us and we’ll look into it.',
  )

/** True when the wallet prevents the call; waiting does not help. */
export const isUnpaid = ({ code }: DomainError): boolean =>
  code === 'wallet-empty' || code === 'spending-limit' || code === 'wallet-suspended'
