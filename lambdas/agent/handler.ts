import { machineTokens } from '../../adapters/aws/machine-tokens.ts'
import { conversations } from '../../adapters/dynamo/conversations.ts'
import { events } from '../../adapters/dynamo/events.ts'
import { instances } from '../../adapters/dynamo/instances.ts'
import { catalogue } from '../../adapters/files/catalogue.ts'
import { wire } from '../../adapters/wire.ts'
import { serve } from '../kit/serve.ts'
import { access } from './access.ts'
import { agentArea } from './index.ts'

export const handler = serve(agentArea, wire(access, { instances, machineTokens, conversations, events, catalogue }))
