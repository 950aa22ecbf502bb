import { events } from '../../adapters/dynamo/events.ts'
import { leases } from '../../adapters/dynamo/leases.ts'
import { sessions } from '../../adapters/dynamo/sessions.ts'
import { tokens } from '../../adapters/dynamo/tokens.ts'
import { wire } from '../../adapters/wire.ts'
import { serve } from '../kit/serve.ts'
import { access } from './access.ts'
import { eventsArea } from './index.ts'

export const handler = serve(eventsArea, wire(access, { events, leases, sessions, tokens }))
