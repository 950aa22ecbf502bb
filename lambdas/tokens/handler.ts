import { edge } from '../../adapters/aws/edge.ts'
import { mail } from '../../adapters/aws/mail.ts'
import { audit } from '../../adapters/dynamo/audit.ts'
import { events } from '../../adapters/dynamo/events.ts'
import { rates } from '../../adapters/dynamo/rates.ts'
import { sessions } from '../../adapters/dynamo/sessions.ts'
import { tokens } from '../../adapters/dynamo/tokens.ts'
import { users } from '../../adapters/dynamo/users.ts'
import { wire } from '../../adapters/wire.ts'
import { serve } from '../kit/serve.ts'
import { access } from './access.ts'
import { tokensArea } from './index.ts'

export const handler = serve(tokensArea, wire(access, { edge, audit, events, mail, rates, sessions, tokens, users }))
