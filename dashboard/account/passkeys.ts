import { startAuthentication, startRegistration } from '@simplewebauthn/browser'
import { BerthError } from '../../clients/typescript/client.ts'
import type { Passkey } from '../../domain/account/passkey.ts'
import { presentTerms } from '../../domain/account/terms-versions.ts'
import type { Account } from '../../domain/account/user.ts'
import { berth } from '../data/client.ts'
import { texts } from '../texts/index.ts'

type Registration = Parameters<typeof startRegistration>[0]['optionsJSON']
type Authentication = Parameters<typeof startAuthentication>[0]['optionsJSON']

/** Browsers make no passkeys for an IP address. */
export const passkeysWork = (): boolean =>
  'PublicKeyCredential' in window && !/^[\d.]+$|^\[/.test(window.location.hostname)

/** @throws BerthError */
export async function makePasskey(name: string): Promise<Passkey> {
  const { options } = await berth.registerPasskeyOptions()
  const optionsJSON = options as Registration // safe because the service’s own library makes them for this one
  const response = await withReadableErrors(() => startRegistration({ optionsJSON }))
  return (await berth.addPasskey({ name, response })).passkey
}

/** @throws BerthError */
export async function signInWithPasskey(): Promise<Account> {
  const { options } = await berth.passkeyOptions()
  const optionsJSON = options as Authentication // safe because the service’s own library makes them for this one
  const response = await withReadableErrors(() => startAuthentication({ optionsJSON }))
  return (await berth.verifyPasskey({ response, terms: presentTerms })).account
}

async function withReadableErrors<T>(ceremony: () => Promise<T>): Promise<T> {
  try {
    return await ceremony()
  } catch (thrown) {
    const name = thrown instanceof Error ? thrown.name : ''
    throw new BerthError(
      'validation',
      name === 'InvalidStateError' ? texts.common.passkeyThere : texts.common.noPasskey,
    )
  }
}
