import { DomainError, providerError } from '../../domain/errors.ts'

/** Whatever fails at Stripe or on the way there is one error to the caller; its text stays here. */
export async function guarded<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof DomainError) throw error
    throw providerError('The billing provider failed. Retry in 4, 8, 16, then 32 seconds.')
  }
}
