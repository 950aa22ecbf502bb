/** The template's CloudFront function for requests to the API. */
import type { IncomingMessage } from 'node:http'
import { runInNewContext } from 'node:vm'
import { asObject, asText } from '../template/json.ts'
import type { Template } from '../template/template.ts'

/** The headers that the function sets; undefined for one that it removes. */
export type ViewerFunction = (request: IncomingMessage, ip: string) => Record<string, string | undefined>

export const noViewerFunction: ViewerFunction = () => ({})

/** A template without a distribution has none. */
export function viewerFunction(template: Template): ViewerFunction {
  if (template.ofType('AWS::CloudFront::Distribution').length === 0) return noViewerFunction
  const viewer = template.ofType('AWS::CloudFront::Function').find(({ logicalId }) => logicalId.includes('Viewer'))
  if (!viewer) throw new Error('The template has no function for the viewers of the API')
  const handler: (event: object) => { headers: object } = runInNewContext(
    `${asText(viewer.properties.FunctionCode)}; handler`,
  )
  return (request, ip) => {
    const sent = Object.entries(request.headers).map(([name, value]) => [name, { value: String(value) }] as const)
    const { headers } = handler({ request: { headers: Object.fromEntries(sent) }, viewer: { ip } })
    const known = new Map<string, unknown>(sent)
    const set = Object.entries(headers).filter(([name, header]) => known.get(name) !== header)
    const removed = [...known.keys()].filter((name) => !Object.hasOwn(headers, name))
    return Object.fromEntries([
      ...removed.map((name) => [name, undefined]),
      ...set.map(([name, header]) => [name, asText(asObject(header).value)]),
    ])
  }
}
