import { bus } from '../../adapters/aws/bus.ts'
import { storage } from '../../adapters/aws/storage.ts'
import { audit } from '../../adapters/dynamo/audit.ts'
import { instances } from '../../adapters/dynamo/instances.ts'
import { restorePoints } from '../../adapters/dynamo/points.ts'
import { sessions } from '../../adapters/dynamo/sessions.ts'
import { tasks } from '../../adapters/dynamo/tasks.ts'
import { tokens } from '../../adapters/dynamo/tokens.ts'
import { wire } from '../../adapters/wire.ts'
import { serve } from '../kit/serve.ts'
import { access } from './access.ts'
import { filesArea } from './index.ts'

export const handler = serve(
  filesArea,
  wire(access, { audit, bus, instances, restorePoints, sessions, storage, tasks, tokens }),
)
