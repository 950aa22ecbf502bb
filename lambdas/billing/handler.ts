import { bus } from '../../adapters/aws/bus.ts'
import { cursors } from '../../adapters/aws/cursors.ts'
import { edge } from '../../adapters/aws/edge.ts'
import { mail } from '../../adapters/aws/mail.ts'
import { audit } from '../../adapters/dynamo/audit.ts'
import { checkouts } from '../../adapters/dynamo/checkouts.ts'
import { events } from '../../adapters/dynamo/events.ts'
import { graces } from '../../adapters/dynamo/graces.ts'
import { instances } from '../../adapters/dynamo/instances.ts'
import { rates } from '../../adapters/dynamo/rates.ts'
import { sessions } from '../../adapters/dynamo/sessions.ts'
import { tokens } from '../../adapters/dynamo/tokens.ts'
import { users } from '../../adapters/dynamo/users.ts'
import { wallets } from '../../adapters/dynamo/wallets.ts'
import { payments } from '../../adapters/stripe/payments.ts'
import { wire } from '../../adapters/wire.ts'
import { serve } from '../kit/serve.ts'
import { access } from './access.ts'
import { billingArea } from './index.ts'

export const handler = serve(
  billingArea,
  wire(access, {
    audit,
    cursors,
    edge,
    bus,
    checkouts,
    events,
    graces,
    instances,
    mail,
    payments,
    rates,
    sessions,
    tokens,
    users,
    wallets,
  }),
)
