import { bus } from '../../adapters/aws/bus.ts'
import { conversations } from '../../adapters/dynamo/conversations.ts'
import { events } from '../../adapters/dynamo/events.ts'
import { instances } from '../../adapters/dynamo/instances.ts'
import { sessions } from '../../adapters/dynamo/sessions.ts'
import { tokens } from '../../adapters/dynamo/tokens.ts'
import { wire } from '../../adapters/wire.ts'
import { serve } from '../kit/serve.ts'
import { access } from './access.ts'
import { chatArea } from './index.ts'

export const handler = serve(chatArea, wire(access, { bus, conversations, events, instances, sessions, tokens }))
