/**
 * `npm run prove bundle-sizes`: the size of the adapters of chat platforms in a function: minified, without AWS's SDK.
 */
import { join } from 'node:path'
import { build } from 'esbuild'
import { recordRun } from '../proofs/kit/record.ts'

async function kilobytesOf(entry: string): Promise<number> {
  const { outputFiles } = await build({
    absWorkingDir: join(import.meta.dirname, '..'),
    entryPoints: [entry],
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    mainFields: ['module', 'main'],
    external: ['@aws-sdk/*', '@smithy/*'],
    legalComments: 'none',
    write: false,
    logLevel: 'error',
  })
  return Math.round(outputFiles.reduce((sum, { contents }) => sum + contents.length, 0) / 1_000)
}

const telegram = await kilobytesOf('adapters/telegram/telegram.ts')
console.log(`Telegram's adapter: ${telegram} KB`)
recordRun('bundle-sizes', { telegram })
