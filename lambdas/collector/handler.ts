import { bus } from '../../adapters/aws/bus.ts'
import { mail } from '../../adapters/aws/mail.ts'
import { checkouts } from '../../adapters/dynamo/checkouts.ts'
import { events } from '../../adapters/dynamo/events.ts'
import { graces } from '../../adapters/dynamo/graces.ts'
import { instances } from '../../adapters/dynamo/instances.ts'
import { users } from '../../adapters/dynamo/users.ts'
import { wallets } from '../../adapters/dynamo/wallets.ts'
import { payments } from '../../adapters/stripe/payments.ts'
import { wire } from '../../adapters/wire.ts'
import { react } from '../kit/react.ts'
import { access } from './access.ts'
import { collectorArea } from './index.ts'

export const handler = react(
  collectorArea,
  wire(access, { bus, checkouts, events, graces, instances, mail, payments, users, wallets }),
)
