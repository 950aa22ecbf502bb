import type { Cron } from 'croner'
import * as z from 'zod'
import { openState } from '../kit/state-file.ts'
import type { Authorizer } from './authorization.ts'
import { type Emit, envelope } from './eventbridge.ts'
import { ACCOUNT, AwsError, jsonResponse, parse, parseJson, type Service } from './protocols.ts'
import { readCron } from './schedule-expression.ts'

const creation = z.object({
  GroupName: z.string().default('default'),
  ScheduleExpression: z.string(),
  ScheduleExpressionTimezone: z.string().default('UTC'),
  FlexibleTimeWindow: z.object({ Mode: z.literal('OFF') }),
  State: z.enum(['ENABLED', 'DISABLED']).default('ENABLED'),
  ActionAfterCompletion: z.enum(['NONE', 'DELETE']).default('NONE'),
  Target: z.object({
    Arn: z.string(),
    RoleArn: z.string(),
    Input: z.string().default('{}'),
    EventBridgeParameters: z.object({ Source: z.string().min(1), DetailType: z.string().min(1) }),
    RetryPolicy: z.unknown().optional(),
    DeadLetterConfig: z.object({ Arn: z.string() }).optional(),
  }),
})
const schedule = creation.extend({ Name: z.string(), CreationDate: z.number() })
type Schedule = z.infer<typeof schedule>

export interface Scheduler {
  service: Service
  /** Fires a schedule of this name now, as if it were due; false when there is none. */
  fire(name: string, at?: Date): boolean
  close(): void
}

/**
 * EventBridge Scheduler with event buses as targets: CreateSchedule, UpdateSchedule, GetSchedule, DeleteSchedule;
 * croner keeps the time.
 */
export function startScheduler(options: {
  file: string
  region: string
  emit: Emit
  log?: (line: string) => void
  /** Asked whether the role of a schedule may put its event. */
  authorizer?: Authorizer | undefined
}): Scheduler {
  const state = openState(options.file, z.record(z.string(), schedule), {})
  const timers = new Map<string, Cron>()
  const keyOf = (group: string, name: string) => `${group}/${name}`

  function send({ Target, Name, GroupName }: Schedule, at: Date): void {
    const put = { action: 'events:PutEvents', resource: Target.Arn }
    const refusal = options.authorizer?.refusalOfRole(Target.RoleArn, [put])
    if (refusal) {
      options.log?.(`schedule ${Name} was not delivered: ${refusal.message}`)
      return
    }
    const time = `${at.toISOString().slice(0, 19)}Z`
    const { Source: source, DetailType } = Target.EventBridgeParameters
    const detail: unknown = JSON.parse(Target.Input.replaceAll('<aws.scheduler.scheduled-time>', time))
    const resources = [`arn:aws:scheduler:${options.region}:${ACCOUNT}:schedule/${GroupName}/${Name}`]
    const { region, emit } = options
    emit(envelope({ source, 'detail-type': DetailType, region, resources, detail, bus: Target.Arn }))
  }

  function start(key: string, schedule: Schedule): void {
    if (schedule.State !== 'ENABLED') return
    const { ScheduleExpression, ScheduleExpressionTimezone } = schedule
    const run = (timer: Cron) => {
      send(schedule, timer.currentRun() ?? new Date())
      if (schedule.ActionAfterCompletion === 'DELETE' && !timer.nextRun()) remove(key)
    }
    timers.set(key, readCron(ScheduleExpression, ScheduleExpressionTimezone, run))
  }

  function remove(key: string): void {
    timers.get(key)?.stop()
    timers.delete(key)
    delete state.value[key]
    state.save()
  }

  /** Creates one, or replaces all of one that there is. */
  function put(name: string, input: unknown, how: 'create' | 'update') {
    const created = { ...parse(creation, input, 'ValidationException'), Name: name, CreationDate: Date.now() / 1000 }
    const key = keyOf(created.GroupName, name)
    if (how === 'create' && state.value[key])
      throw new AwsError('ConflictException', `Schedule ${name} already exists.`, 409)
    if (how === 'update' && !state.value[key])
      throw new AwsError('ResourceNotFoundException', `Schedule ${name} does not exist.`, 404)
    if (!/^arn:[^:]+:events:/.test(created.Target.Arn))
      throw new AwsError('ValidationException', 'Only event buses are targets here.')
    checkExpression(created.ScheduleExpression)
    checkTimeZone(created.ScheduleExpressionTimezone)
    timers.get(key)?.stop()
    start(key, created)
    state.value[key] = created
    state.save()
    return jsonResponse(200, { ScheduleArn: `arn:aws:scheduler:${options.region}:${ACCOUNT}:schedule/${key}` })
  }

  for (const [key, schedule] of Object.entries(state.value)) start(key, schedule)
  return {
    service: async ({ method, path, query, body }) => {
      const name = /^\/schedules\/([\w.-]{1,64})$/.exec(path)?.[1]
      if (!name) throw new AwsError('UnknownOperationException', `${method} ${path} is not known here.`, 404)
      if (method === 'POST') return put(name, parseJson(body), 'create')
      if (method === 'PUT') return put(name, parseJson(body), 'update')
      const key = keyOf(query.get('groupName') ?? 'default', name)
      const found = state.value[key]
      if (!found) throw new AwsError('ResourceNotFoundException', `Schedule ${name} does not exist.`, 404)
      if (method === 'GET') return jsonResponse(200, found)
      if (method !== 'DELETE') throw new AwsError('UnknownOperationException', `${method} is not known here.`, 404)
      remove(key)
      return jsonResponse(200)
    },
    fire(name, at = new Date()) {
      const found = Object.values(state.value).find(({ Name }) => Name === name)
      if (found) send(found, at)
      return found !== undefined
    },
    close() {
      for (const timer of timers.values()) timer.stop()
    },
  }
}

const areas =
  'Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Brazil|Canada|Chile|Europe|Indian|Mexico|Pacific|US'
const ianaName = new RegExp(`^(?:UTC|GMT|Etc/[A-Z][\\w+-]*|(?:${areas})(?:/[A-Z]\\w*(?:-[A-Za-z]+)*)+)$`)

/**
 * The scheduler knows names of the IANA time zone database as they are written there:
 * https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html#time-zones
 */
function checkTimeZone(timeZone: string): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone })
    if (ianaName.test(timeZone)) return
  } catch {}
  throw new AwsError('ValidationException', `Invalid ScheduleExpressionTimezone ${timeZone}.`)
}

/** Exactly one of the two day fields of a cron expression is `?`. */
function checkExpression(expression: string): void {
  try {
    readCron(expression).stop()
    if (expression.startsWith('at(')) return
    const [, , dayOfMonth, , dayOfWeek] = expression.split(/\s+/)
    if ([dayOfMonth, dayOfWeek].filter((day) => day === '?').length === 1) return
  } catch {}
  throw new AwsError('ValidationException', `Invalid Schedule Expression ${expression}.`)
}
