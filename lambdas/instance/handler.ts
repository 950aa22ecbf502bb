import { bus } from '../../adapters/aws/bus.ts'
import { events } from '../../adapters/dynamo/events.ts'
import { instances } from '../../adapters/dynamo/instances.ts'
import { sessions } from '../../adapters/dynamo/sessions.ts'
import { tokens } from '../../adapters/dynamo/tokens.ts'
import { users } from '../../adapters/dynamo/users.ts'
import { wallets } from '../../adapters/dynamo/wallets.ts'
import { models } from '../../adapters/models/models.ts'
import { wire } from '../../adapters/wire.ts'
import { serve } from '../kit/serve.ts'
import { access } from './access.ts'
import { instanceArea } from './index.ts'

export const handler = serve(
  instanceArea,
  wire(access, { bus, events, instances, models, sessions, tokens, users, wallets }),
)
