/** Passkeys of this browser: the two ceremonies, between the API and `navigator.credentials`. */
import { startAuthentication, startRegistration } from '@simplewebauthn/browser'
import type { Passkey } from '../../domain/account/passkey.ts'
import type { Account } from '../../domain/account/user.ts'
import { ApiError, call } from '../api/client.ts'

type Registration = Parameters<typeof startRegistration>[0]['optionsJSON']
type Authentication = Parameters<typeof startAuthentication>[0]['optionsJSON']

/** Browsers make no passkeys for an address that is a number. */
export const passkeysWork = (): boolean =>
  'PublicKeyCredential' in window && !/^[\d.]+$|^\[/.test(window.location.hostname)

/** @throws ApiError */
export async function makePasskey(name: string): Promise<Passkey> {
  const { options } = await call<{ options: Registration }>('POST', '/auth/passkeys/registration', {})
  const response = await asked(() => startRegistration({ optionsJSON: options }))
  return (await call<{ passkey: Passkey }>('POST', '/auth/passkeys', { name, response })).passkey
}

/** @throws ApiError */
export async function signInWithPasskey(): Promise<Account> {
  const { options } = await call<{ options: Authentication }>('POST', '/auth/passkeys/options', {})
  const response = await asked(() => startAuthentication({ optionsJSON: options }))
  return (await call<{ account: Account }>('POST', '/auth/passkeys/verify', { response })).account
}

/** What the browser refuses, in words. */
async function asked<T>(ceremony: () => Promise<T>): Promise<T> {
  try {
    return await ceremony()
  } catch (thrown) {
    const name = thrown instanceof Error ? thrown.name : ''
    throw new ApiError(
      'validation',
      name === 'InvalidStateError'
        ? 'This device has a passkey for your account already.'
        : 'No passkey was used. Try again, or choose another way.',
    )
  }
}
