/**
 * `npm run prove template`: the findings of cfn-lint and Checkov (PyPI) and of cdk-nag's AwsSolutions in the templates
 * of a stage that keeps its data. Each finding has its reason in `template/accepted.ts`.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Validations } from 'aws-cdk-lib/core'
import { AwsSolutionsChecks } from 'cdk-nag'
import * as z from 'zod'
import { makeApp } from '../lib/app.ts'
import { readStage } from '../lib/stage.ts'
import { accepted } from './template/accepted.ts'
import { assemble, settings, stage } from './template/assemble.ts'
import { pythonWith } from './tools/python.ts'

interface Finding {
  id: string
  where: string
}

const folder = mkdtempSync(join(tmpdir(), 'berth-prove-template-'))
const report = z.object({
  pluginReports: z.array(
    z.object({
      violations: z.array(
        z.object({
          ruleName: z.string(),
          violatingConstructs: z.array(z.object({ constructPath: z.string() })),
        }),
      ),
    }),
  ),
})

function nag(): Finding[] {
  const outdir = join(folder, 'nag')
  const app = makeApp({ stage: readStage(stage, settings), outdir, built: join(folder, 'stubs'), checked: false })
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app))
  const { log, error } = console
  // The report contains the same.
  Object.assign(console, { log: () => {}, error: () => {} })
  try {
    app.synth()
  } catch (thrown) {
    if (!(thrown instanceof Error && thrown.name === 'ValidationFailed')) throw thrown
  } finally {
    Object.assign(console, { log, error })
  }
  const found = report.parse(JSON.parse(readFileSync(join(outdir, 'validation-report.json'), 'utf8')))
  return found.pluginReports.flatMap(({ violations }) =>
    violations.flatMap(({ ruleName, violatingConstructs }) =>
      violatingConstructs.map(({ constructPath }) => ({ id: ruleName, where: constructPath })),
    ),
  )
}

const lint = z.array(z.object({ Rule: z.object({ Id: z.string() }), Location: z.object({ Path: z.unknown() }) }))

const checks = z.object({
  results: z.object({ failed_checks: z.array(z.object({ check_id: z.string(), resource: z.string() })) }),
  summary: z.object({ resource_count: z.int() }),
})

function python(templates: string[]): { findings: Finding[]; resources: number } {
  const bin = join(pythonWith('template', ['cfn-lint==1.58.0', 'checkov==3.3.30']), 'bin')
  const run = (name: string, args: string[]) =>
    JSON.parse(spawnSync(join(bin, name), args, { encoding: 'utf8', maxBuffer: 1 << 28 }).stdout)
  const linted = lint.parse(run('cfn-lint', ['--format', 'json', ...templates]))
  const checked = checks.parse(
    run('checkov', ['-f', ...templates, '--framework', 'cloudformation', '--compact', '--quiet', '-o', 'json']),
  )
  return {
    findings: [
      ...linted.map(({ Rule, Location }) => ({ id: Rule.Id, where: JSON.stringify(Location.Path) })),
      ...checked.results.failed_checks.map(({ check_id, resource }) => ({ id: check_id, where: resource })),
    ],
    resources: checked.summary.resource_count,
  }
}

const { findings, resources } = python(assemble(folder))
const all = [...findings, ...nag()]
rmSync(folder, { recursive: true })
const reasons = Object.keys(accepted)
const left = all.filter(({ id }) => !reasons.some((reason) => id === reason || id.startsWith(reason)))
const stale = reasons.filter((reason) => !all.some(({ id }) => id === reason || id.startsWith(reason)))
console.log(`  ${all.length} findings in ${resources} resources, of ${reasons.length} kinds that are meant to be so`)
for (const { id, where } of left) console.log(`  no reason: ${id} at ${where}`)
for (const id of stale) console.log(`  found no more: ${id}`)
if (resources < 300) console.log('  that cannot be all of them')
process.exitCode = left.length > 0 || stale.length > 0 || resources < 300 ? 1 : 0
