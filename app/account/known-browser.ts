import type { Asker } from '../../domain/account/sign-in-limits.ts'
import type { UserRecord } from '../../domain/account/user.ts'
import type { Events } from '../ports/chat.ts'
import type { Cursors } from '../ports/tokens.ts'

type Signer = { cursors: Cursors }

const anyAddress = 'browser'
const forAddress = (email: string) => `browser ${email}`

/** The id in the cookie of a browser that has signed in with any address; null without a genuine cookie. */
export const browserId = async ({ cursors }: Signer, cookie: string | null): Promise<string | null> =>
  cookie === null ? null : cursors.verify(anyAddress, cookie.slice(0, cookie.lastIndexOf('.')))

/** The requester of an e-mail at this address: a browser that has signed in with it, or a stranger. */
export async function askerOf(deps: Signer, email: string, ip: string, cookie: string | null): Promise<Asker> {
  const known = cookie === null ? null : await deps.cursors.verify(forAddress(email), cookie)
  const id = known === null ? null : await deps.cursors.verify(anyAddress, known)
  return id === null ? { share: 'strangers', id: ip } : { share: 'own', id }
}

/** Returns a cookie. All browsers of a user share an id, because limits count by the id and not by the sign-in. */
export const rememberBrowser = async ({ cursors }: Signer, user: { id: string }, email: string): Promise<string> =>
  cursors.sign(forAddress(email), await cursors.sign(anyAddress, user.id.replace('usr_', 'brw_')))

export async function tellOfNewBrowser(
  deps: Signer & { events: Events },
  { id, email }: Pick<UserRecord, 'id' | 'email'>,
  device: string,
  cookie: string | null,
): Promise<void> {
  const known = cookie !== null && (await deps.cursors.verify(forAddress(email), cookie)) !== null
  if (!known) await deps.events.record(id, 'account.signed_in', { device })
}
