import type { Cron } from 'croner'
import * as z from 'zod'
import { openState, type StateFile } from '../kit/state-file.ts'
import type { Authorizer } from './authorization.ts'
import { type Emit, envelope } from './eventbridge.ts'
import { ACCOUNT, AwsError, type AwsRequest, type AwsResponse, jsonResponse, parse, parseJson } from './protocols.ts'
import { readCron } from './schedule-expression.ts'

const creation = z.object({
  GroupName: z.string().default('default'),
  ScheduleExpression: z.string(),
  ScheduleExpressionTimezone: z.string().default('UTC'),
  FlexibleTimeWindow: z.discriminatedUnion('Mode', [
    z.object({ Mode: z.literal('OFF') }),
    z.object({ Mode: z.literal('FLEXIBLE'), MaximumWindowInMinutes: z.number().int().min(1).max(1_440) }),
  ]),
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

interface SchedulerOptions {
  file: string
  region: string
  emit: Emit
  log?: (line: string) => void
  /** Asked whether the role of a schedule may put its event. */
  authorizer?: Authorizer | undefined
}

const keyOf = (group: string, name: string) => `${group}/${name}`

/**
 * EventBridge Scheduler with event buses as targets: CreateSchedule, UpdateSchedule, GetSchedule, DeleteSchedule;
 * croner keeps the time. A schedule with a flexible window fires at the window's beginning.
 */
export class Scheduler {
  readonly #options: SchedulerOptions
  readonly #state: StateFile<Record<string, Schedule>>
  readonly #timers = new Map<string, Cron>()

  constructor(options: SchedulerOptions) {
    this.#options = options
    this.#state = openState(options.file, z.record(z.string(), schedule), {})
    for (const [key, schedule] of Object.entries(this.#state.value)) this.#start(key, schedule)
  }

  async answer({ method, path, query, body }: AwsRequest): Promise<AwsResponse> {
    const name = /^\/schedules\/([\w.-]{1,64})$/.exec(path)?.[1]
    if (!name) throw new AwsError('UnknownOperationException', `${method} ${path} is not known here.`, 404)
    if (method === 'POST') return this.#put(name, parseJson(body), 'create')
    if (method === 'PUT') return this.#put(name, parseJson(body), 'update')
    const key = keyOf(query.get('groupName') ?? 'default', name)
    const found = this.#state.value[key]
    if (!found) throw new AwsError('ResourceNotFoundException', `Schedule ${name} does not exist.`, 404)
    if (method === 'GET') return jsonResponse(200, found)
    if (method !== 'DELETE') throw new AwsError('UnknownOperationException', `${method} is not known here.`, 404)
    this.#remove(key)
    return jsonResponse(200)
  }

  /** Fires a schedule of this name now, as if it were due; false when there is none. */
  fire(name: string, at = new Date()): boolean {
    const found = Object.values(this.#state.value).find(({ Name }) => Name === name)
    if (found) this.#send(found, at)
    return found !== undefined
  }

  close(): void {
    for (const timer of this.#timers.values()) timer.stop()
  }

  /** Creates one, or replaces all of one that there is. */
  #put(name: string, input: unknown, how: 'create' | 'update'): AwsResponse {
    const created = { ...parse(creation, input, 'ValidationException'), Name: name, CreationDate: Date.now() / 1000 }
    const key = keyOf(created.GroupName, name)
    const { value } = this.#state
    if (how === 'create' && value[key]) throw new AwsError('ConflictException', `Schedule ${name} already exists.`, 409)
    if (how === 'update' && !value[key])
      throw new AwsError('ResourceNotFoundException', `Schedule ${name} does not exist.`, 404)
    if (!/^arn:[^:]+:events:/.test(created.Target.Arn))
      throw new AwsError('ValidationException', 'Only event buses are targets here.')
    checkExpression(created.ScheduleExpression)
    checkTimeZone(created.ScheduleExpressionTimezone)
    this.#timers.get(key)?.stop()
    this.#start(key, created)
    value[key] = created
    this.#state.save()
    return jsonResponse(200, { ScheduleArn: this.#arn(key) })
  }

  #start(key: string, schedule: Schedule): void {
    if (schedule.State !== 'ENABLED') return
    const { ScheduleExpression, ScheduleExpressionTimezone } = schedule
    const run = (timer: Cron) => {
      this.#send(schedule, timer.currentRun() ?? new Date())
      if (schedule.ActionAfterCompletion === 'DELETE' && !timer.nextRun()) this.#remove(key)
    }
    this.#timers.set(key, readCron(ScheduleExpression, ScheduleExpressionTimezone, run))
  }

  #remove(key: string): void {
    this.#timers.get(key)?.stop()
    this.#timers.delete(key)
    delete this.#state.value[key]
    this.#state.save()
  }

  #send({ Target, Name, GroupName }: Schedule, at: Date): void {
    const { region, emit, log, authorizer } = this.#options
    const put = { action: 'events:PutEvents', resource: Target.Arn }
    const refusal = authorizer?.refusalOfRole(Target.RoleArn, [put])
    if (refusal) {
      log?.(`schedule ${Name} was not delivered: ${refusal.message}`)
      return
    }
    const time = `${at.toISOString().slice(0, 19)}Z`
    const { Source: source, DetailType } = Target.EventBridgeParameters
    const detail: unknown = JSON.parse(Target.Input.replaceAll('<aws.scheduler.scheduled-time>', time))
    const resources = [this.#arn(keyOf(GroupName, Name))]
    emit(envelope({ source, 'detail-type': DetailType, region, resources, detail, bus: Target.Arn }))
  }

  #arn(key: string): string {
    return `arn:aws:scheduler:${this.#options.region}:${ACCOUNT}:schedule/${key}`
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
