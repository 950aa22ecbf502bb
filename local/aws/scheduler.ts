import { Cron } from 'croner'
import * as z from 'zod'
import { type Emit, envelope } from './events.ts'
import { openState } from './state-file.ts'
import { ACCOUNT, AwsError, jsonReply, parse, parseJson, type Service } from './wire.ts'

const creation = z.object({
  GroupName: z.string().default('default'),
  ScheduleExpression: z.string(),
  ScheduleExpressionTimezone: z.string().default('UTC'),
  FlexibleTimeWindow: z.object({ Mode: z.literal('OFF') }),
  State: z.enum(['ENABLED', 'DISABLED']).default('ENABLED'),
  Target: z.object({
    Arn: z.string(),
    RoleArn: z.string(),
    Input: z.string().default('{}'),
    EventBridgeParameters: z.object({ Source: z.string().min(1), DetailType: z.string().min(1) }),
    RetryPolicy: z.unknown().optional(),
  }),
})
const schedule = creation.extend({ Name: z.string(), CreationDate: z.number() })
type Schedule = z.infer<typeof schedule>

export interface Scheduler {
  service: Service
  /** Fires a schedule of this name now, as if its time had come; false when there is none. */
  fire(name: string, at?: Date): boolean
  close(): void
}

/** EventBridge Scheduler with event buses as targets: CreateSchedule, GetSchedule, DeleteSchedule; croner keeps the time. */
export function startScheduler(options: { file: string; region: string; emit: Emit }): Scheduler {
  const state = openState(options.file, z.record(z.string(), schedule), {})
  const clocks = new Map<string, Cron>()
  const keyOf = (group: string, name: string) => `${group}/${name}`

  function send({ Target, Name, GroupName }: Schedule, at: Date): void {
    const time = `${at.toISOString().slice(0, 19)}Z`
    const { Source: source, DetailType } = Target.EventBridgeParameters
    const detail: unknown = JSON.parse(Target.Input.replaceAll('<aws.scheduler.scheduled-time>', time))
    const resources = [`arn:aws:scheduler:${options.region}:${ACCOUNT}:schedule/${GroupName}/${Name}`]
    const { region, emit } = options
    emit(envelope({ source, 'detail-type': DetailType, region, resources, detail, bus: Target.Arn }))
  }

  function wind(key: string, one: Schedule): void {
    if (one.State !== 'ENABLED') return
    clocks.set(
      key,
      new Cron(pattern(one.ScheduleExpression), { timezone: one.ScheduleExpressionTimezone, unref: true }, (self) =>
        send(one, self.currentRun() ?? new Date()),
      ),
    )
  }

  function create(name: string, input: unknown) {
    const one = { ...parse(creation, input, 'ValidationException'), Name: name, CreationDate: Date.now() / 1000 }
    const key = keyOf(one.GroupName, name)
    if (state.value[key]) throw new AwsError('ConflictException', `Schedule ${name} already exists.`, 409)
    if (!/^arn:[^:]+:events:/.test(one.Target.Arn))
      throw new AwsError('ValidationException', 'Only event buses are targets here.')
    wind(key, one)
    state.value[key] = one
    state.save()
    return jsonReply(200, { ScheduleArn: `arn:aws:scheduler:${options.region}:${ACCOUNT}:schedule/${key}` })
  }

  for (const [key, one] of Object.entries(state.value)) wind(key, one)
  return {
    service: async ({ method, path, query, body }) => {
      const name = /^\/schedules\/([\w.-]{1,64})$/.exec(path)?.[1]
      if (!name) throw new AwsError('UnknownOperationException', `${method} ${path} is not known here.`, 404)
      if (method === 'POST') return create(name, parseJson(body))
      const key = keyOf(query.get('groupName') ?? 'default', name)
      const found = state.value[key]
      if (!found) throw new AwsError('ResourceNotFoundException', `Schedule ${name} does not exist.`, 404)
      if (method === 'GET') return jsonReply(200, found)
      if (method !== 'DELETE') throw new AwsError('UnknownOperationException', `${method} is not known here.`, 404)
      clocks.get(key)?.stop()
      clocks.delete(key)
      delete state.value[key]
      state.save()
      return jsonReply(200)
    },
    fire(name, at = new Date()) {
      const found = Object.values(state.value).find((one) => one.Name === name)
      if (found) send(found, at)
      return found !== undefined
    },
    close() {
      for (const clock of clocks.values()) clock.stop()
    },
  }
}

/** `cron(…)` of six fields as croner reads it: the year must be any, and `?` says the same as `*`. */
function pattern(expression: string): string {
  const fields = /^cron\((.+)\)$/.exec(expression)?.[1]?.trim().split(/\s+/)
  const days = fields ? [fields[2], fields[4]] : []
  if (fields?.length !== 6 || fields[5] !== '*' || days.filter((day) => day === '?').length !== 1)
    throw new AwsError('ValidationException', `Invalid Schedule Expression ${expression}.`)
  const text = fields.slice(0, 5).join(' ').replace('?', '*')
  try {
    new Cron(text, { paused: true }).stop()
    return text
  } catch {
    throw new AwsError('ValidationException', `Invalid Schedule Expression ${expression}.`)
  }
}
