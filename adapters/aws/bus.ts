import type { Bus } from '../../app/ports/instance.ts'
import type { Env } from '../env.ts'
import { putEvent } from './put-event.ts'

export const bus = (env: Env): Bus => {
  const put = putEvent(env)
  return { publish: (type, userId, detail) => put(type, { ...detail, userId }) }
}
