import * as z from 'zod'
import { tokensOf } from './chat.ts'

const tokens = z.array(z.int())

/** Fields of an embeddings request that the model `echo-embedding` reads. */
export const embeddingRequest = z.looseObject({
  model: z.literal('echo-embedding'),
  input: z.union([z.string(), tokens, z.array(z.string()), z.array(tokens)]),
  dimensions: z.number().int().min(1).max(3_072).default(256),
  encoding_format: z.enum(['float', 'base64']).default('float'),
})

type Input = string | number[]

/** Unit vectors; texts with common words are close to each other. */
export function embed({ input, dimensions, encoding_format }: z.infer<typeof embeddingRequest>): object {
  const inputs = isList(input) ? input : [input]
  const used = inputs.reduce((sum, each) => sum + (typeof each === 'string' ? tokensOf(each) : each.length), 0)
  const data = inputs.map((each, index) => {
    const vector = vectorOf(each, dimensions)
    const embedding = encoding_format === 'float' ? [...vector] : Buffer.from(vector.buffer).toString('base64')
    return { object: 'embedding', index, embedding }
  })
  return { object: 'list', data, model: 'echo-embedding', usage: { prompt_tokens: used, total_tokens: used } }
}

const isList = (input: Input | Input[]): input is Input[] => Array.isArray(input) && typeof input[0] !== 'number'

function vectorOf(input: Input, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions)
  const words = typeof input === 'string' ? input.toLowerCase().split(/\W+/) : input.map(String)
  for (const word of words.filter(Boolean)) {
    let hash = 0
    for (const character of word) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) >>> 0
    vector[hash % dimensions] = (vector[hash % dimensions] ?? 0) + 1
  }
  const length = Math.hypot(...vector) || 1
  return vector.map((number) => number / length)
}
