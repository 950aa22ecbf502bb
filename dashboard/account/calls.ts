/** The API of the account page: who may sign in, what was done, and the account's end. */
import type { AuditEntry } from '../../domain/account/audit.ts'
import type { AccountExport } from '../../domain/account/export.ts'
import type { Passkey } from '../../domain/account/passkey.ts'
import type { Account, Session } from '../../domain/account/user.ts'
import { call, session } from '../client.ts'

interface EmailChange {
  email: string
  currentCode?: string
  newCode?: string
}

/** Everything in one document: the first part with the lines of those that follow. */
async function exported(): Promise<AccountExport> {
  const ask = (cursor: string | null) =>
    call<AccountExport>('GET', `/account/export${cursor ? `?cursor=${encodeURIComponent(cursor)}` : ''}`)
  const whole = await ask(null)
  while (whole.nextCursor) {
    const part = await ask(whole.nextCursor)
    for (const name of ['transactions', 'messages', 'audit', 'personas'] as const)
      (whole[name] as object[]).push(...part[name]) // safe because a list of one name has lines of one kind
    whole.nextCursor = part.nextCursor
  }
  return whole
}

export const accountApi = {
  verifyLink: (email: string, token: string) => call<{ account: Account }>('POST', '/auth/verify', { email, token }),
  changeEmail: (change: EmailChange) => call<{ account: Account; confirm: string | null }>('PATCH', '/account', change),
  export: exported,
  remove: () => call<{ eraseAt: string }>('DELETE', '/account'),
  audit: (cursor: string | null) =>
    call<{ entries: AuditEntry[]; nextCursor: string | null }>(
      'GET',
      `/account/audit?limit=15${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`,
    ),

  sessions: () => call<{ sessions: Session[] }>('GET', '/auth/sessions'),
  endSession: (id: string) => call<object>('DELETE', `/auth/sessions/${id}`),

  passkeys: () => call<{ passkeys: Passkey[] }>('GET', '/auth/passkeys'),
  removePasskey: (id: string) => call<Passkey>('DELETE', `/auth/passkeys/${id}`),
}

/** Signs out and shows the sign-in page, for what wants a fresh sign-in. */
export async function signInAgain(): Promise<void> {
  await call<object>('POST', '/auth/logout', {})
  session.dispatchEvent(new Event('signed-out'))
}
