import { bus } from '../../adapters/aws/bus.ts'
import { cursors } from '../../adapters/aws/cursors.ts'
import { logs } from '../../adapters/aws/logs.ts'
import { timers } from '../../adapters/aws/timers.ts'
import { audit } from '../../adapters/dynamo/audit.ts'
import { events } from '../../adapters/dynamo/events.ts'
import { instances } from '../../adapters/dynamo/instances.ts'
import { metrics } from '../../adapters/dynamo/metrics.ts'
import { restorePoints } from '../../adapters/dynamo/points.ts'
import { schedules } from '../../adapters/dynamo/schedules.ts'
import { sessions } from '../../adapters/dynamo/sessions.ts'
import { tasks } from '../../adapters/dynamo/tasks.ts'
import { tokens } from '../../adapters/dynamo/tokens.ts'
import { users } from '../../adapters/dynamo/users.ts'
import { variables } from '../../adapters/dynamo/variables.ts'
import { wallets } from '../../adapters/dynamo/wallets.ts'
import { models } from '../../adapters/models/models.ts'
import { wire } from '../../adapters/wire.ts'
import { serve } from '../kit/serve.ts'
import { access } from './access.ts'
import { instanceArea } from './index.ts'

const stores = {
  audit,
  events,
  instances,
  metrics,
  restorePoints,
  schedules,
  sessions,
  tasks,
  tokens,
  users,
  variables,
  wallets,
}

export const handler = serve(instanceArea, wire(access, { bus, cursors, logs, models, timers, ...stores }))
