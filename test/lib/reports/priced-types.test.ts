import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../../lib/build/bundle.ts'
import { awsPrices } from '../../../lib/reports/aws-prices.ts'
import { freeTypes, pricedTypes } from '../../../lib/reports/priced-types.ts'
import { deployments } from '../synthesis.ts'

const typesOf = async () =>
  new Set(Object.values(await deployments()).flatMap(({ resources }) => resources.map(([, { Type }]) => Type)))

test('each type of resource has a price, or is known as free', async () => {
  const known = new Set([...Object.keys(pricedTypes), ...freeTypes])
  expect([...(await typesOf())].filter((type) => !known.has(type)).sort()).toEqual([])
})

test('each listed type is in a template', async () => {
  const types = await typesOf()
  expect([...Object.keys(pricedTypes), ...freeTypes].filter((type) => !types.has(type))).toEqual([])
})

test('each price belongs to a type of resource, and is used by a report', () => {
  const folder = join(root, 'lib/reports')
  const sources = readdirSync(folder).filter((name) => !['aws-prices.ts', 'priced-types.ts'].includes(name))
  const text = sources.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n')
  const owned = new Set<string>(Object.values(pricedTypes).flat())
  for (const price of Object.keys(awsPrices)) {
    expect([price, owned.has(price)]).toEqual([price, true])
    expect([price, new RegExp(`\\b${price}\\b`).test(text)]).toEqual([price, true])
  }
})
