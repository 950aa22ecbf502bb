import { registry } from '../../adapters/registry.ts'
import { areas } from '../../lambdas/areas.ts'
import { portsOf } from '../../lambdas/kit/access.ts'
import { type Area, accessOf, folderOf } from '../../lambdas/kit/area.ts'
import type { AnyOperation } from '../../lambdas/kit/operation.ts'
import type { Methods } from '../../lambdas/kit/request.ts'

/** The path of an operation's file from the root: its id in kebab-case, in its folder. */
function operationFile(operation: AnyOperation): string {
  const owner = areas.find(({ operations }) => operations.includes(operation))
  if (!owner) throw new Error(`no area has the operation ${operation.id}`)
  return `./lambdas/${folderOf(owner, operation)}/${kebabCase(operation.id)}.ts`
}

/** An area's entry point imports only the adapters of its ports, so that its bundle has only the SDKs it needs. */
export function entryPoint(area: Area): string {
  const name = `${camelCase(area.name)}Area`
  const tools = area.tools.map(({ id }) => id)
  const ports = portsOf(accessOf(area)).map(([port]) => port)
  const [handler, file] = handlerOf(area)
  return [
    `import { connect } from './adapters/connect.ts'`,
    ...ports.map((port) => `import { ${port} } from '${registry[port].module.replace('./', './adapters/')}'`),
    `import { ${name} } from './lambdas/${area.name}/index.ts'`,
    `import { ${handler} } from './lambdas/kit/${file}.ts'`,
    ...area.tools.map((operation) => `import { ${operation.id} } from '${operationFile(operation)}'`),
    `const made = ${name}${tools.length > 0 ? `([${tools.join(', ')}])` : ''}`,
    `const area = { ...made, elsewhere: ${JSON.stringify(servedElsewhere(area))} }`,
    `export const handler = ${handler}(area, connect({ ${ports.join(', ')} }))`,
  ].join('\n')
}

/** Methods that other functions serve at the paths of an area. */
function servedElsewhere(area: Area): Methods {
  const served = areas
    .filter((other) => other !== area)
    .flatMap(({ operations }) => operations.flatMap(({ http }) => pathsOf(http).map((path) => [path, http.method])))
  const own = area.operations.flatMap(({ http }) => pathsOf(http))
  return Object.fromEntries(
    [...new Set(own)].flatMap((path) => {
      const methods = served.filter(([each]) => each === path).map(([, method = '']) => method)
      return methods.length > 0 ? [[path, methods]] : []
    }),
  )
}

const pathsOf = ({ path, aliases = [] }: AnyOperation['http']): string[] => [path, ...aliases]

function handlerOf({ jobs, socket }: Area): [name: string, file: string] {
  if (socket) return ['socketHandler', 'socket-handler']
  return jobs.length > 0 ? ['jobHandler', 'job-handler'] : ['httpHandler', 'http-handler']
}

const kebabCase = (id: string): string => id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
const camelCase = (name: string): string => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
