import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import * as z from 'zod'
import type { PasskeyCeremony } from '../../app/ports/account.ts'
import { ownOrigins, relyingPartyId } from '../../domain/account/origins.ts'
import { challengeTtlMs } from '../../domain/lifetimes.ts'
import type { Env } from '../env.ts'

const clientData = z.object({ challenge: z.string() })

/** WebAuthn by SimpleWebAuthn, with discoverable passkeys and user verification. */
export function passkeyCeremony(env: Env): PasskeyCeremony {
  const rpId = () => relyingPartyId(env.settings().publicOrigin)
  const expected = () => ({ expectedOrigin: ownOrigins(env.settings().publicOrigin), expectedRPID: rpId() })
  return {
    async registrationOptions(user, known) {
      const options = await generateRegistrationOptions({
        rpName: 'Berth',
        rpID: rpId(),
        userName: user.email,
        userID: new TextEncoder().encode(user.id),
        timeout: challengeTtlMs,
        attestationType: 'none',
        excludeCredentials: known.map(({ credentialId: id, transports }) => ({ id, transports })),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      })
      return { options: { ...options }, challenge: options.challenge }
    },

    async authenticationOptions() {
      const asked = { rpID: rpId(), timeout: challengeTtlMs, userVerification: 'required' } as const
      const options = await generateAuthenticationOptions(asked)
      return { options: { ...options }, challenge: options.challenge }
    },

    challengeOf({ response }) {
      try {
        const text = Buffer.from(String(response.clientDataJSON), 'base64url').toString('utf8')
        return clientData.parse(JSON.parse(text)).challenge
      } catch {
        return null
      }
    },

    async verifyRegistration(response, expectedChallenge) {
      try {
        const { verified, registrationInfo: found } = await verifyRegistrationResponse({
          // safe because the verification checks each field it reads and throws otherwise
          response: response as unknown as RegistrationResponseJSON,
          expectedChallenge,
          ...expected(),
        })
        if (!verified) return null
        const { id, publicKey, counter, transports = [] } = found.credential
        return {
          credentialId: id,
          publicKey: Buffer.from(publicKey).toString('base64url'),
          counter,
          transports: transports.map(String).slice(0, 8),
          synced: found.credentialBackedUp,
        }
      } catch {
        return null
      }
    },

    async verifyAuthentication(response, expectedChallenge, known) {
      try {
        const { verified, authenticationInfo } = await verifyAuthenticationResponse({
          // safe because the verification checks each field it reads and throws otherwise
          response: response as unknown as AuthenticationResponseJSON,
          expectedChallenge,
          ...expected(),
          credential: {
            id: known.credentialId,
            publicKey: new Uint8Array(Buffer.from(known.publicKey, 'base64url')),
            counter: known.counter,
            transports: known.transports,
          },
        })
        return verified ? { counter: authenticationInfo.newCounter } : null
      } catch {
        return null
      }
    },
  }
}
