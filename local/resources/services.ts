/** The template's ECS services: each with a desired task runs as a process, restarted when it ends. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Addresses } from '../functions/functions.ts'
import { allocatorSettings, startGuarded } from '../kit/child-process.ts'
import { asList, asObject, asText, type JsonObject } from '../template/json.ts'
import type { Template } from '../template/template.ts'

const restartMs = 5_000

interface ServiceOptions {
  repo: string
  dataDir: string
  /** Node's compile cache of the programs. */
  compiled: string
  /** Values of secrets by the last part of their names. */
  secrets: Record<string, JsonObject>
  replaced: Addresses['replaced']
}

interface Services {
  stop(): Promise<void>
}

export function startServices(template: Template, options: ServiceOptions): Services {
  const ending = new AbortController()
  const services = template
    .ofType('AWS::ECS::Service')
    .filter(({ properties }) => Number(properties.DesiredCount ?? 1) > 0)
  const running = services.map(async ({ properties }) => {
    const { args, env, name } = taskOf(template, asText(properties.TaskDefinition), options)
    while (!ending.signal.aborted) {
      const child = startGuarded(process.execPath, args, join(options.dataDir, 'logs', `${name}.log`), env)
      const stop = () => void child.stop()
      ending.signal.addEventListener('abort', stop)
      await child.exited
      ending.signal.removeEventListener('abort', stop)
      await sleep(restartMs, undefined, { signal: ending.signal }).catch(() => {})
    }
  })
  return {
    async stop() {
      ending.abort()
      await Promise.all(running)
    },
  }
}

/** The program of a task definition's single container, in this project. */
function taskOf(template: Template, taskDefinition: string, { repo, compiled, secrets, replaced }: ServiceOptions) {
  const definition = template.ofType('AWS::ECS::TaskDefinition').find(({ ref }) => ref === taskDefinition)
  const [container] = asList(definition?.properties.ContainerDefinitions ?? []).map((each) => asObject(each))
  if (!container) throw new Error(`The template has no task definition ${taskDefinition}`)
  const [, ...args] = asList(container.Command ?? []).map((each) => asText(each))
  const named = (list: JsonObject[string] | undefined, value: string) =>
    asList(list ?? []).map((each) => [asText(asObject(each).Name), asText(asObject(each)[value])] as const)
  const secretOf = (arn: string): string => {
    const secret = template.ofType('AWS::SecretsManager::Secret').find((each) => each.arn === arn)
    return JSON.stringify(secrets[secret?.name.split('/').pop() ?? ''] ?? {})
  }
  return {
    name: asText(container.Name),
    args: args.map((each) => join(repo, each)),
    env: {
      ...allocatorSettings,
      NODE_COMPILE_CACHE: compiled,
      ...Object.fromEntries(
        named(container.Environment, 'Value').map(([name, value]) => [name, replaced[name] ?? value]),
      ),
      ...Object.fromEntries(named(container.Secrets, 'ValueFrom').map(([name, arn]) => [name, secretOf(arn)])),
    },
  }
}
