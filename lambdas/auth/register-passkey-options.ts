import * as z from 'zod'
import { ceremonyJson } from '../../domain/account/passkey.ts'
import { unauthorized } from '../../domain/errors.ts'
import { operation } from '../kit/operation.ts'

export const registerPasskeyOptions = operation({
  id: 'registerPasskeyOptions',
  summary: 'Get the options for creating a passkey',
  description:
    'Hand `options` to `navigator.credentials.create`, then its answer to POST /auth/passkeys. The challenge is good for ' +
    'one answer within five minutes. Making and keeping one want a sign-in at most 10 minutes old: what a stolen session does ends with it.',
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
