import { bus } from '../../adapters/aws/bus.ts'
import { edge } from '../../adapters/aws/edge.ts'
import { mail } from '../../adapters/aws/mail.ts'
import { audit } from '../../adapters/dynamo/audit.ts'
import { events } from '../../adapters/dynamo/events.ts'
import { instances } from '../../adapters/dynamo/instances.ts'
import { logins } from '../../adapters/dynamo/logins.ts'
import { passkeys } from '../../adapters/dynamo/passkeys.ts'
import { rates } from '../../adapters/dynamo/rates.ts'
import { sessions } from '../../adapters/dynamo/sessions.ts'
import { tokens } from '../../adapters/dynamo/tokens.ts'
import { users } from '../../adapters/dynamo/users.ts'
import { wallets } from '../../adapters/dynamo/wallets.ts'
import { passkeyCeremony } from '../../adapters/webauthn/passkey-ceremony.ts'
import { wire } from '../../adapters/wire.ts'
import { serve } from '../kit/serve.ts'
import { access } from './access.ts'
import { authArea } from './index.ts'

const adapters = {
  tokens,
  edge,
  audit,
  bus,
  events,
  instances,
  logins,
  mail,
  passkeyCeremony,
  passkeys,
  rates,
  sessions,
  users,
  wallets,
}

export const handler = serve(authArea, wire(access, adapters))
