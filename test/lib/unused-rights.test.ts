import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Authorizer } from '../../emulators/aws/authorization.ts'
import { root } from '../../lib/build/bundle.ts'
import { type Right, usedRights } from '../../local/functions/principals.ts'
import { readTemplate } from '../../local/template/template.ts'
import { explains, reasons, unusedRights } from '../service/rights.js'
import { local } from './synthesis.ts'

let granted: Right[]
beforeAll(async () => {
  granted = JSON.parse(usedRights(readTemplate((await local()).folder), new Authorizer())).granted
})

test('an unused right is reported, unless there is a reason for it', () => {
  expect(granted.length).toBeGreaterThan(1_000)
  expect(unusedRights({ granted, used: granted })).toEqual([])
  const starts = granted.filter(({ action }) => action === 'ecs:RunTask')
  expect(unusedRights({ granted, used: granted.filter((right) => !starts.includes(right)) })).toEqual([
    `ecs:RunTask ${starts[0]?.resource}`,
  ])
  expect(unusedRights({ granted, used: [] }).length).toBeGreaterThan(150)
  expect(unusedRights({ granted, used: [] }).join()).not.toMatch(/bedrock/)
})

test('each reason is about an existing right, and names an existing suite', () => {
  const idle = reasons.filter((reason) => !granted.some((right) => explains(reason, right)))
  expect(idle).toEqual([])
  const suites = reasons.flatMap(([, , why]) => /^test\/[\w/.-]+/.exec(why) ?? [])
  expect(suites.filter((path) => !existsSync(join(root, path)))).toEqual([])
})
