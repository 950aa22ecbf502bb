import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Release, releasedTemplate } from '../../adapters/aws/deployment/releases.ts'
import { atOnceParameter, releaseOutput } from '../../lib/stack-parameters.ts'
import type { Stage } from '../../lib/stage.ts'
import { assembly } from './cdk.ts'

/** The synthesised release, as a rollback needs it. */
export function releaseOf({ account = '', region = '' }: Stage, stack: string): Release {
  const { Outputs } = JSON.parse(readFileSync(join(assembly, `${stack}.template.json`), 'utf8'))
  const id = String(Outputs[releaseOutput].Value)
  const { version, artifacts } = JSON.parse(readFileSync(join(assembly, 'manifest.json'), 'utf8'))
  const { type, properties } = artifacts[stack]
  // The account stores the assets, so the dependencies on this folder are left out.
  const { additionalDependencies: _, ...others } = properties
  const artifact = { type, environment: `aws://${account}/${region}`, properties: others }
  const template = String(properties.stackTemplateAssetObjectUrl)
    .replace(/\$\{AWS::AccountId\}/g, account)
    .replace(/\$\{AWS::Region\}/g, region)
  const at = new Date().toISOString()
  return { at, id, commit: commitHere(), template, manifest: { version, artifact } }
}

function commitHere(): string {
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: import.meta.dirname, encoding: 'utf8' })
  return status === 0 ? stdout.trim() : ''
}

/** Writes a folder from which the CDK deploys this release again. @returns the folder, and the template's text */
export async function writeRelease(release: Release, stack: string): Promise<{ folder: string; template: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'berth-release-'))
  const template = await releasedTemplate(release)
  const { version, artifact } = release.manifest
  writeFileSync(join(folder, `${stack}.template.json`), template)
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ version, artifacts: { [stack]: artifact } }))
  return { folder, template }
}

/** The stack's parameters for a release that moves all calls at once; a stage without a canary has none. */
export const atOnce = ({ id }: Release, template: { Parameters?: object }): Record<string, string> =>
  hasCanary(template) ? { [atOnceParameter]: id } : {}

export const hasCanary = ({ Parameters = {} }: { Parameters?: object }): boolean =>
  Object.hasOwn(Parameters, atOnceParameter)

/** The tags of the images that a release uses. */
export const imagesOf = ({ Resources }: { Resources: Record<string, { Type: string; Properties?: object }> }) =>
  Object.values(Resources).flatMap(({ Type, Properties = {} }) =>
    Type === 'Custom::BerthImage' && 'tag' in Properties ? [String(Properties.tag)] : [],
  )
