import { bus } from '../../adapters/aws/bus.ts'
import { cursors } from '../../adapters/aws/cursors.ts'
import { audit } from '../../adapters/dynamo/audit.ts'
import { checkouts } from '../../adapters/dynamo/checkouts.ts'
import { events } from '../../adapters/dynamo/events.ts'
import { instances } from '../../adapters/dynamo/instances.ts'
import { leases } from '../../adapters/dynamo/leases.ts'
import { restorePoints } from '../../adapters/dynamo/points.ts'
import { sessions } from '../../adapters/dynamo/sessions.ts'
import { tasks } from '../../adapters/dynamo/tasks.ts'
import { tokens } from '../../adapters/dynamo/tokens.ts'
import { users } from '../../adapters/dynamo/users.ts'
import { wallets } from '../../adapters/dynamo/wallets.ts'
import { catalogue } from '../../adapters/files/catalogue.ts'
import { mcp } from '../../adapters/mcp/mcp.ts'
import { models } from '../../adapters/models/models.ts'
import { pages } from '../../adapters/stripe/pages.ts'
import { wire } from '../../adapters/wire.ts'
import { serve } from '../kit/serve.ts'
import { access } from './access.ts'
import { mcpArea } from './index.ts'

const ports = {
  audit,
  cursors,
  leases,
  bus,
  catalogue,
  checkouts,
  events,
  instances,
  mcp,
  models,
  pages,
  restorePoints,
  sessions,
  tasks,
  tokens,
  users,
  wallets,
}

export const handler = serve(mcpArea, wire(access, ports))
