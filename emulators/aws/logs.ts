import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import type { TaskDefinition } from './ecs/task-definitions.ts'
import { type Action, AwsError, parse } from './protocols.ts'

const filter = z.object({
  logGroupName: z.string(),
  logStreamNamePrefix: z.string().min(1),
  startTime: z.number().default(0),
  limit: z.number().int().min(1).max(10_000).default(10_000),
  nextToken: z.string().optional(),
})

const logOptions = z.looseObject({
  logDriver: z.literal('awslogs'),
  options: z.looseObject({ 'awslogs-group': z.string(), 'awslogs-stream-prefix': z.string() }),
})

interface Stream {
  name: string
  file: string
}

interface Line {
  logStreamName: string
  timestamp: number
  message: string
}

/**
 * CloudWatch Logs: FilterLogEvents over the files that tasks write. Streams are named `prefix/container/task`. A line
 * that is JSON has the time of its `timeField` (ISO 8601); any other was written soon after the one before it.
 */
export function logActions(options: {
  stateFolder: string
  definitions: () => TaskDefinition[]
  timeField: string
}): Record<string, Action> {
  function streams(group: string, prefix: string): Stream[] {
    const folders = new Map<string, string>()
    for (const { family, containerDefinitions } of options.definitions()) {
      for (const container of containerDefinitions) {
        const logs = logOptions.safeParse(container.logConfiguration).data?.options
        const name = `${logs?.['awslogs-stream-prefix']}/${container.name}/`
        if (logs?.['awslogs-group'] === group && name.startsWith(prefix))
          folders.set(join(options.stateFolder, 'logs', family, container.name), name)
      }
    }
    return [...folders].flatMap(([folder, name]) => {
      const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.log')) : []
      return files.map((file) => ({ name: name + file.slice(0, -'.log'.length), file: join(folder, file) }))
    })
  }

  return {
    FilterLogEvents(input) {
      const request = parse(filter, input, 'InvalidParameterException')
      const from = Number(request.nextToken ?? 0)
      if (!Number.isInteger(from) || from < 0)
        throw new AwsError('InvalidParameterException', 'The specified nextToken is invalid.')
      const lines = streams(request.logGroupName, request.logStreamNamePrefix)
        .flatMap((stream) => linesOf(stream, options.timeField))
        .filter(({ timestamp }) => timestamp >= request.startTime)
        .sort((a, b) => a.timestamp - b.timestamp)
      const end = from + request.limit
      return {
        events: lines.slice(from, end).map((line, i) => ({ ...line, eventId: String(from + i) })),
        ...(end < lines.length && { nextToken: String(end) }),
        searchedLogStreams: [],
      }
    },
  }
}

function linesOf({ name, file }: Stream, timeField: string): Line[] {
  let last = statSync(file).birthtimeMs
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((message) => {
      last = Math.floor(timeOf(message, timeField) ?? last)
      return { logStreamName: name, timestamp: last, message }
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
