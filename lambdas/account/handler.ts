import { bus } from '../../adapters/aws/bus.ts'
import { cursors } from '../../adapters/aws/cursors.ts'
import { mail } from '../../adapters/aws/mail.ts'
import { audit } from '../../adapters/dynamo/audit.ts'
import { conversations } from '../../adapters/dynamo/conversations.ts'
import { events } from '../../adapters/dynamo/events.ts'
import { instances } from '../../adapters/dynamo/instances.ts'
import { logins } from '../../adapters/dynamo/logins.ts'
import { passkeys } from '../../adapters/dynamo/passkeys.ts'
import { restorePoints } from '../../adapters/dynamo/points.ts'
import { schedules } from '../../adapters/dynamo/schedules.ts'
import { sessions } from '../../adapters/dynamo/sessions.ts'
import { tokens } from '../../adapters/dynamo/tokens.ts'
import { users } from '../../adapters/dynamo/users.ts'
import { wallets } from '../../adapters/dynamo/wallets.ts'
import { catalogue } from '../../adapters/files/catalogue.ts'
import { wire } from '../../adapters/wire.ts'
import { serve } from '../kit/serve.ts'
import { access } from './access.ts'
import { accountArea } from './index.ts'

const stores = {
  audit,
  catalogue,
  conversations,
  events,
  instances,
  logins,
  passkeys,
  restorePoints,
  schedules,
  sessions,
  tokens,
  users,
  wallets,
}

export const handler = serve(accountArea, wire(access, { cursors, ...stores, bus, mail }))
