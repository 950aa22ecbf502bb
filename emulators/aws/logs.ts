import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import type { TaskDefinition } from './ecs/task-definitions.ts'
import { type Action, AwsError, parse } from './protocols.ts'

const read = z.object({
  logGroupName: z.string(),
  logStreamName: z.string().min(1),
  startTime: z.number().default(0),
  startFromHead: z.literal(true),
  limit: z.number().int().min(1).max(10_000).default(10_000),
  nextToken: z.string().optional(),
})

const logOptions = z.looseObject({
  logDriver: z.literal('awslogs'),
  options: z.looseObject({ 'awslogs-group': z.string(), 'awslogs-stream-prefix': z.string() }),
})

interface Line {
  timestamp: number
  message: string
}

const tokens = /^f\/(\d{1,15})$/

/**
 * CloudWatch Logs: GetLogEvents over the files that tasks write, from the beginning. Streams are named
 * `prefix/container/task`. A line that is JSON has the time of its `timeField` (ISO 8601); any other was written soon
 * after the one before it.
 */
export function logActions(options: {
  stateFolder: string
  definitions: () => TaskDefinition[]
  timeField: string
}): Record<string, Action> {
  function fileOf(group: string, stream: string): string | undefined {
    for (const { family, containerDefinitions } of options.definitions()) {
      for (const container of containerDefinitions) {
        const logs = logOptions.safeParse(container.logConfiguration).data?.options
        const prefix = `${logs?.['awslogs-stream-prefix']}/${container.name}/`
        const task = stream.slice(prefix.length)
        if (logs?.['awslogs-group'] !== group || !stream.startsWith(prefix) || !/^[\w-]+$/.test(task)) continue
        const file = join(options.stateFolder, 'logs', family, container.name, `${task}.log`)
        if (existsSync(file)) return file
      }
    }
    return undefined
  }

  return {
    GetLogEvents(input) {
      const request = parse(read, input, 'InvalidParameterException')
      const from = tokens.exec(request.nextToken ?? 'f/0')?.[1]
      if (from === undefined) throw new AwsError('InvalidParameterException', 'The specified nextToken is invalid.')
      const file = fileOf(request.logGroupName, request.logStreamName)
      if (!file) throw new AwsError('ResourceNotFoundException', 'The specified log stream does not exist.')
      const lines = linesOf(file, options.timeField).filter(({ timestamp }) => timestamp >= request.startTime)
      const events = lines.slice(Number(from), Number(from) + request.limit)
      return {
        events,
        nextForwardToken: `f/${Number(from) + events.length}`,
        nextBackwardToken: `b/${from}`,
      }
    },
  }
}

function linesOf(file: string, timeField: string): Line[] {
  let last = statSync(file).birthtimeMs
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((message) => {
      last = Math.floor(timeOf(message, timeField) ?? last)
      return { timestamp: last, message }
    })
}

function timeOf(line: string, field: string): number | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    const parsed = z.looseObject({ [field]: z.iso.datetime() }).safeParse(JSON.parse(line))
    return parsed.success ? Date.parse(parsed.data[field] ?? '') : undefined
  } catch {
    return undefined
  }
}
