import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeParameter } from '../../adapters/aws/deployment/account.ts'
import { type Release, releasedTemplate } from '../../adapters/aws/deployment/releases.ts'
import { deployedParameter } from '../../lib/parameters.ts'
import type { Stage } from '../../lib/stage.ts'
import { assembly } from './cdk.ts'

/** What is about to be deployed, as it would be deployed again; the stage says that it is under way. */
export async function beginRelease(
  { name, account = '', region = '' }: Stage,
  stack: string,
  parameters: Record<string, string>,
): Promise<Release> {
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

/** A folder from which the CDK's command line deploys this release as it was. @returns it, with the template's text in it */
export async function writeRelease(release: Release, stack: string): Promise<{ folder: string; template: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'berth-release-'))
  const template = await releasedTemplate(release)
  const { version, artifact } = release.manifest
  writeFileSync(join(folder, `${stack}.template.json`), template)
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ version, artifacts: { [stack]: artifact } }))
  return { folder, template }
}
