import { bus } from '../../adapters/aws/bus.ts'
import { mail } from '../../adapters/aws/mail.ts'
import { events } from '../../adapters/dynamo/events.ts'
import { users } from '../../adapters/dynamo/users.ts'
import { wallets } from '../../adapters/dynamo/wallets.ts'
import { wire } from '../../adapters/wire.ts'
import { react } from '../kit/react.ts'
import { access } from './access.ts'
import { ledgerArea } from './index.ts'

export const handler = react(ledgerArea, wire(access, { bus, events, mail, users, wallets }))
