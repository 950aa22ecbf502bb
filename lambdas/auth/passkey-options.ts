import * as z from 'zod'
import { ceremonyJson } from '../../domain/account/passkey.ts'
import { operation } from '../kit/operation.ts'

export const passkeyOptions = operation({
  id: 'passkeyOptions',
  summary: 'Get the options for signing in with a passkey',
  description:
    'Pass `options` to `navigator.credentials.get`. The challenge is valid for one answer within five minutes.',
  http: { method: 'POST', path: '/auth/passkeys/options' },
  auth: 'none',
  limit: 'login',
  sameOrigin: true,
  output: z.object({ options: ceremonyJson }),
  uses: { passkeys: 'write', passkeyCeremony: 'read' },
  run: async ({ deps, now }) => {
    const { options, challenge } = await deps.passkeyCeremony.authenticationOptions()
    await deps.passkeys.saveChallenge(challenge, null, now)
    return { options }
  },
})
