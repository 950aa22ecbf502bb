import { readFileSync } from 'node:fs'
import type { PricedModel } from '../../domain/models/model.ts'
import { whatIsWrong } from '../aws/secrets.ts'
import { newProvidersSecret, operatorModels, type Upstream } from './upstream.ts'

interface ProvidersFile {
  upstreams: Record<string, Upstream>
  models: PricedModel[]
  /** One line per fault; empty if the service can use the file. */
  faults: string[]
}

/** @param file a path, or 0 for standard input */
export function readProvidersFile(file: string | 0): ProvidersFile {
  const failed = (...faults: string[]): ProvidersFile => ({ upstreams: {}, models: [], faults })
  let json: unknown
  try {
    json = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    return failed(error instanceof SyntaxError ? 'the whole (this is not JSON)' : String(error))
  }
  const read = newProvidersSecret.safeParse(json)
  if (!read.success) return failed(...whatIsWrong(read.error))
  const models: PricedModel[] = []
  const faults: string[] = []
  for (const [name, upstream] of Object.entries(read.data)) {
    const priced = operatorModels(name, upstream)
    models.push(...priced)
    for (const [index, { id }] of (upstream.models ?? []).entries())
      if (!priced.some(({ upstreamModel }) => upstreamModel === id))
        faults.push(`${name}.models.${index} (${id} has no price: give prices above zero, or "free": true)`)
  }
  return { upstreams: read.data, models, faults }
}
