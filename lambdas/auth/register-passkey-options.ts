import * as z from 'zod'
import { ceremonyJson } from '../../domain/account/passkey.ts'
import { unauthorized } from '../../domain/errors.ts'
import { operation } from '../kit/operation.ts'

export const registerPasskeyOptions = operation({
  id: 'registerPasskeyOptions',
  summary: 'Get the options for creating a passkey',
  description:
    'Pass `options` to `navigator.credentials.create`, and send its answer to POST /auth/passkeys. The challenge is ' +
    'valid for one answer within five minutes. Both requests require a sign-in at most 10 minutes old, so that a ' +
    'thief of a session cannot add a passkey.',
  http: { method: 'POST', path: '/auth/passkeys/registration' },
  auth: 'session',
  recentSignIn: true,
  output: z.object({ options: ceremonyJson }),
  uses: { passkeys: 'write', passkeyCeremony: 'read', users: 'read' },
  run: async ({ actor, deps, now }) => {
    const [user, known] = await Promise.all([deps.users.find(actor.userId), deps.passkeys.list(actor.userId)])
    if (!user) throw unauthorized()
    const { options, challenge } = await deps.passkeyCeremony.registrationOptions(user, known)
    await deps.passkeys.saveChallenge(challenge, user.id, now)
    return { options }
  },
})
