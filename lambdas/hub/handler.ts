import { machineTokens } from '../../adapters/aws/machine-tokens.ts'
import { events } from '../../adapters/dynamo/events.ts'
import { instances } from '../../adapters/dynamo/instances.ts'
import { wallets } from '../../adapters/dynamo/wallets.ts'
import { models } from '../../adapters/models/models.ts'
import { wire } from '../../adapters/wire.ts'
import { makeHub } from '../kit/hub.ts'
import { access } from '../llm/access.ts'
import { llmArea } from '../llm/index.ts'

/** The doors that hold connections open, over the ports their functions have. */
export const hub = makeHub([
  { area: llmArea, deps: wire(access, { models, wallets, instances, machineTokens, events }) },
])
