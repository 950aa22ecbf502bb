import { machineTokens } from '../../adapters/aws/machine-tokens.ts'
import { events } from '../../adapters/dynamo/events.ts'
import { instances } from '../../adapters/dynamo/instances.ts'
import { wallets } from '../../adapters/dynamo/wallets.ts'
import { models } from '../../adapters/models/models.ts'
import { wire } from '../../adapters/wire.ts'
import { serve } from '../kit/serve.ts'
import { access } from './access.ts'
import { llmArea } from './index.ts'

export const handler = serve(llmArea, wire(access, { models, wallets, instances, machineTokens, events }))
