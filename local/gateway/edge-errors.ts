/** CloudFront's own errors: the template's pages if it has any, otherwise CloudFront's HTML. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { asList, asObject, asText } from '../template/json.ts'
import type { Template } from '../template/template.ts'
import type { StaticHandler } from './static-handler.ts'

/** CloudFront's limit of an address, bytes. */
export const maxUrlBytes = 8192

export type EdgeErrors = (request: IncomingMessage, response: ServerResponse, status: 414 | 504) => void

/** @param pages serves the bucket with the error pages */
export function edgeErrors(template: Template, pages: StaticHandler): EdgeErrors {
  const config = asObject(template.ofType('AWS::CloudFront::Distribution')[0]?.properties.DistributionConfig)
  const answers = new Map(
    asList(config.CustomErrorResponses ?? [])
      .map(asObject)
      .filter(({ ResponsePagePath }) => ResponsePagePath !== undefined)
      .map(({ ErrorCode, ResponseCode, ResponsePagePath }) => [
        Number(ErrorCode),
        { code: Number(ResponseCode), path: asText(ResponsePagePath) },
      ]),
  )
  return (request, response, status) => {
    const page = answers.get(status)
    response.statusCode = page?.code ?? status
    if (page) return pages(request, response, page.path, page.code)
    response.setHeader('content-type', 'text/html')
    response.end(`<html><head><title>ERROR: ${status}</title></head></html>`)
  }
}
