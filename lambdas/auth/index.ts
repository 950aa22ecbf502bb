import { area } from '../kit/area.ts'
import { addPasskey } from './add-passkey.ts'
import { endSession } from './end-session.ts'
import { getSession } from './get-session.ts'
import { listPasskeys } from './list-passkeys.ts'
import { listSessions } from './list-sessions.ts'
import { login } from './login.ts'
import { logout } from './logout.ts'
import { passkeyOptions } from './passkey-options.ts'
import { registerPasskeyOptions } from './register-passkey-options.ts'
import { removePasskey } from './remove-passkey.ts'
import { startTrial } from './start-trial.ts'
import { verify } from './verify.ts'
import { verifyPasskey } from './verify-passkey.ts'

export const authArea = area({
  name: 'auth',
  about: 'People sign in to the dashboard by e-mail or with a passkey. Programs use a token instead.',
  operations: [
    login,
    verify,
    logout,
    getSession,
    listSessions,
    endSession,
    passkeyOptions,
    verifyPasskey,
    registerPasskeyOptions,
    addPasskey,
    listPasskeys,
    removePasskey,
    startTrial,
  ],
})
