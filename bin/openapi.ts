import { readFile, writeFile } from 'node:fs/promises'
import { stringify } from 'yaml'
import { areas } from '../lambdas/areas.ts'
import { openapiDocument } from '../lambdas/kit/openapi.ts'

/** Writes openapi.yaml from the operations; with --check it compares instead. */
const file = new URL('../openapi.yaml', import.meta.url)
const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'))
const document = stringify(openapiDocument(areas, version), { aliasDuplicateObjects: false })
const text = `# Generated from the operations by "npm run generate"; do not edit.\n${document}`

if (process.argv.includes('--check')) {
  if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
    console.error('openapi.yaml is not what the operations make. Run "npm run generate" and commit it.')
    process.exitCode = 1
  }
} else {
  await writeFile(file, text)
}
