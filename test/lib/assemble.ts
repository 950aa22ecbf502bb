// Makes the assemblies that its argument names, in a short-lived process that frees its memory: the CDK takes longer to
// load than to run.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeApp } from '../../lib/app.ts'
import { bundled, bundleFolder, mapsFolder } from '../../lib/build/bundle.ts'
import { readStage, type StageSettings } from '../../lib/stage.ts'

export type Wanted = ({ built: string } | { /** The replacement of each bundle. */ stubs: string }) & {
  assemblies: {
    stage: string
    settings: StageSettings
    folder: string
    /** Whether it is validated against CloudFormation's own schemas too, which takes most of the time. */
    checked?: boolean
  }[]
}

function writeStubs(built: string): string {
  for (const name of bundled) {
    mkdirSync(bundleFolder(built, name), { recursive: true })
    writeFileSync(join(bundleFolder(built, name), 'index.js'), `exports.handler = async () => '${name}'\n`)
  }
  mkdirSync(mapsFolder(built), { recursive: true })
  mkdirSync(join(built, 'dashboard/assets'), { recursive: true })
  writeFileSync(join(built, 'dashboard/assets', 'index-1a2b3c4d.js'), 'export {}')
  writeFileSync(join(built, 'dashboard', 'index.html'), '<!doctype html><title>Berth</title>')
  return built
}

const wanted: Wanted = JSON.parse(process.argv[2] ?? '')
const built = 'built' in wanted ? wanted.built : writeStubs(wanted.stubs)
for (const { stage, settings, folder, checked = false } of wanted.assemblies)
  makeApp({ stage: readStage(stage, settings), outdir: folder, built, checked }).synth()
