/**
 * `npm run rollback -- --stage <name>`: deploys the service of the previous release, or the last healthy release if the
 * current one never was. A rollback touches no data and builds nothing.
 */
import { rmSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { forgetRelease, releases } from '../adapters/aws/deployment/releases.ts'
import { deployedStack } from '../adapters/aws/deployment/stacks.ts'
import { releasesPath } from '../lib/parameters.ts'
import { releaseOutput } from '../lib/stack-parameters.ts'
import { checkRolledBack, confirm, openStage } from './deploy/account.ts'
import { deployStack, stacksOf } from './deploy/cdk.ts'
import { changesOf, describeChanges } from './deploy/changes.ts'
import { atOnce, imagesOf, writeRelease } from './deploy/release.ts'
import { smokeTest } from './deploy/smoke.ts'
import { main, Stop, say } from './deploy/stop.ts'

const usage = `npm run rollback -- --stage <name>
  --yes               do not ask; required if a program runs this command
  --wait <seconds>    the time in which the stage must answer everywhere; 300 by default`

async function rollback(name: string, yes: boolean, wait: number): Promise<void> {
  await openStage(name)
  const { service } = stacksOf(name)
  const now = await deployedStack(service)
  if (!now) throw new Stop(`The stage ${name} is not deployed.`)
  checkRolledBack(service, now)
  const [newest, before] = await releases(releasesPath(name))
  // The CDK alone deploys without a note.
  const isWell = newest !== undefined && newest.id === now.outputs[releaseOutput]
  const release = isWell ? before : newest
  if (!release)
    throw new Stop('There is no earlier release: the stage stores only releases that passed the smoke test.')
  const { folder, template } = await writeRelease(release, service)
  try {
    say(
      `\nRolling back to the release of ${release.at}${release.commit === '' ? '' : ` (${release.commit.slice(0, 12)})`}:`,
    )
    for (const line of describeChanges(changesOf(now.template, JSON.parse(template)))) say(`  ${line}`)
    for (const tag of imagesOf(JSON.parse(template))) say(`  image: ${tag}`)
    if (!yes) await confirm(`\nRoll back ${name} to this release? [y/N] `, /^y(es)?$/i)
    // No canary: this release was healthy before, and the alarms that ring are the reason for the rollback.
    await deployStack(service, atOnce(release, JSON.parse(template)), folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
  // A release that was rolled back is not a target of the next rollback.
  if (isWell) await forgetRelease(releasesPath(name), newest)
  say('\nRunning the smoke test …')
  // Read the origin again: it may differ between releases.
  const { Origin = '' } = (await deployedStack(service))?.outputs ?? {}
  const failed = await smokeTest(Origin, wait * 1_000, say)
  if (failed.length > 0)
    throw new Stop(
      `The stage runs the release of ${release.at}, but the smoke test failed:\n${failed.map((line) => `  ${line}`).join('\n')}`,
    )
  say(`\nThe stage ${name} runs the release of ${release.at}.`)
}

await main(async () => {
  const { values } = parseArgs({
    options: {
      stage: { type: 'string' },
      yes: { type: 'boolean', default: false },
      wait: { type: 'string', default: '300' },
    },
  })
  const wait = Number(values.wait)
  if (values.stage === undefined || !(wait >= 0)) throw new Stop(usage)
  await rollback(values.stage, values.yes, wait)
})
