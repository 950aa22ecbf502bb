import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeParameter } from '../../adapters/aws/deployment/account.ts'
import { type Release, releasedTemplate } from '../../adapters/aws/deployment/releases.ts'
import { deployedParameter } from '../../lib/parameters.ts'
import { releaseParameter, type Shift, shiftParameter } from '../../lib/stack-parameters.ts'
import type { Stage } from '../../lib/stage.ts'
import { assembly } from './cdk.ts'

/**
 * The release about to be deployed, in the form in which it could be deployed again; marks the stage as being deployed.
 * @param versions of the images, by the template's parameters
 */
export async function beginRelease(
  { name, account = '', region = '' }: Stage,
  stack: string,
  versions: Record<string, string>,
): Promise<Release> {
  const content = readFileSync(join(assembly, `${stack}.template.json`), 'utf8') + JSON.stringify(versions)
  const id = createHash('sha256').update(content).digest('hex').slice(0, 16)
  const parameters = { ...versions, [releaseParameter]: id }
  const { version, artifacts } = JSON.parse(readFileSync(join(assembly, 'manifest.json'), 'utf8'))
  const { type, properties } = artifacts[stack]
  // Its assets are in the account from then on: what names those of this folder is left out.
  const { additionalDependencies: _, ...others } = properties
  const artifact = { type, environment: `aws://${account}/${region}`, properties: others }
  const template = String(properties.stackTemplateAssetObjectUrl)
    .replace(/\$\{AWS::AccountId\}/g, account)
    .replace(/\$\{AWS::Region\}/g, region)
  const at = new Date().toISOString()
  await writeParameter(deployedParameter(name), at)
  return { at, commit: commitHere(), template, parameters, manifest: { version, artifact } }
}

function commitHere(): string {
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: import.meta.dirname, encoding: 'utf8' })
  return status === 0 ? stdout.trim() : ''
}

/**
 * A folder from which the CDK's command line deploys this release as it was. @returns it, with the template's text in
 * it
 */
export async function writeRelease(release: Release, stack: string): Promise<{ folder: string; template: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'berth-release-'))
  const template = await releasedTemplate(release)
  const { version, artifact } = release.manifest
  writeFileSync(join(folder, `${stack}.template.json`), template)
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ version, artifacts: { [stack]: artifact } }))
  return { folder, template }
}

/**
 * The parameters with which the stack is deployed. How calls go over is said each time: CloudFormation would keep the
 * last answer.
 */
export function parametersOf(
  { parameters }: Release,
  template: { Parameters?: object },
  shift: Shift,
): Record<string, string> {
  const isAsked = Object.hasOwn(template.Parameters ?? {}, shiftParameter)
  return { ...parameters, ...(isAsked && { [shiftParameter]: shift }) }
}
