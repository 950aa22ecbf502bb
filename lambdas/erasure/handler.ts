import { bus } from '../../adapters/aws/bus.ts'
import { timers } from '../../adapters/aws/timers.ts'
import { audit } from '../../adapters/dynamo/audit.ts'
import { erasure } from '../../adapters/dynamo/erasure.ts'
import { events } from '../../adapters/dynamo/events.ts'
import { instances } from '../../adapters/dynamo/instances.ts'
import { schedules } from '../../adapters/dynamo/schedules.ts'
import { sessions } from '../../adapters/dynamo/sessions.ts'
import { tokens } from '../../adapters/dynamo/tokens.ts'
import { users } from '../../adapters/dynamo/users.ts'
import { wire } from '../../adapters/wire.ts'
import { react } from '../kit/react.ts'
import { access } from './access.ts'
import { erasureArea } from './index.ts'

export const handler = react(
  erasureArea,
  wire(access, { audit, bus, erasure, events, instances, schedules, sessions, timers, tokens, users }),
)
