import { createHash, randomBytes } from 'node:crypto'
import { chunksOf } from '../../../agent/volume/chunker.ts'

it('chunks do not depend on how the input is split', async () => {
  const bytes = randomBytes(400_000)
  async function* inSteps(step: number) {
    for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step)
  }
  const cut = async (step: number) => {
    const hashes: string[] = []
    for await (const chunk of chunksOf(inSteps(step), { min: 4_096, max: 65_536, bits: 13 }))
      hashes.push(`${chunk.length} ${createHash('sha256').update(chunk).digest('hex')}`)
    return hashes
  }
  expect(await cut(17)).toEqual(await cut(65_536))
  expect(await cut(4_099)).toEqual(await cut(400_000))
  expect((await cut(17)).length).toBeGreaterThan(10)
})
