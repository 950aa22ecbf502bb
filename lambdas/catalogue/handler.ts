import { cursors } from '../../adapters/aws/cursors.ts'
import { audit } from '../../adapters/dynamo/audit.ts'
import { events } from '../../adapters/dynamo/events.ts'
import { instances } from '../../adapters/dynamo/instances.ts'
import { restorePoints } from '../../adapters/dynamo/points.ts'
import { sessions } from '../../adapters/dynamo/sessions.ts'
import { tasks } from '../../adapters/dynamo/tasks.ts'
import { tokens } from '../../adapters/dynamo/tokens.ts'
import { catalogue } from '../../adapters/files/catalogue.ts'
import { wire } from '../../adapters/wire.ts'
import { serve } from '../kit/serve.ts'
import { access } from './access.ts'
import { catalogueArea } from './index.ts'

export const handler = serve(
  catalogueArea,
  wire(access, { audit, catalogue, cursors, events, instances, restorePoints, sessions, tasks, tokens }),
)
