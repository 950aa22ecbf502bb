import { mail } from '../../adapters/aws/mail.ts'
import { logins } from '../../adapters/dynamo/logins.ts'
import { rates } from '../../adapters/dynamo/rates.ts'
import { sessions } from '../../adapters/dynamo/sessions.ts'
import { users } from '../../adapters/dynamo/users.ts'
import { wallets } from '../../adapters/dynamo/wallets.ts'
import { wire } from '../../adapters/wire.ts'
import { serve } from '../kit/serve.ts'
import { access } from './access.ts'
import { authArea } from './index.ts'

export const handler = serve(authArea, wire(access, { logins, mail, rates, sessions, users, wallets }))
