import { bus } from '../../adapters/aws/bus.ts'
import { machineTokens } from '../../adapters/aws/machine-tokens.ts'
import { mail } from '../../adapters/aws/mail.ts'
import { storage } from '../../adapters/aws/storage.ts'
import { conversations } from '../../adapters/dynamo/conversations.ts'
import { events } from '../../adapters/dynamo/events.ts'
import { instances } from '../../adapters/dynamo/instances.ts'
import { leases } from '../../adapters/dynamo/leases.ts'
import { metrics } from '../../adapters/dynamo/metrics.ts'
import { restorePoints } from '../../adapters/dynamo/points.ts'
import { tasks } from '../../adapters/dynamo/tasks.ts'
import { users } from '../../adapters/dynamo/users.ts'
import { variables } from '../../adapters/dynamo/variables.ts'
import { catalogue } from '../../adapters/files/catalogue.ts'
import { wire } from '../../adapters/wire.ts'
import { serve } from '../kit/serve.ts'
import { access } from './access.ts'
import { agentArea } from './index.ts'

export const handler = serve(
  agentArea,
  wire(access, {
    bus,
    leases,
    instances,
    machineTokens,
    conversations,
    events,
    catalogue,
    mail,
    metrics,
    restorePoints,
    storage,
    tasks,
    users,
    variables,
  }),
)
