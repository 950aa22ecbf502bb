/**
 * `npm run stack -- <map> < stack.txt`: translates a stack trace of a minified function into lines of its sources. Use
 * the source map of the same deployment and area (docs/runbook.md says where).
 */
import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'

const [file] = process.argv.slice(2)
if (!file) {
  console.error('npm run stack -- <area>.js.map < stack.txt')
  process.exit(2)
}
const map = new SourceMap(JSON.parse(readFileSync(file, 'utf8')))
const text = readFileSync(0, 'utf8').replace(/[^\s():"']*index\.js:(\d+):(\d+)/g, (place, line, column) => {
  const origin = map.findOrigin(Number(line), Number(column))
  if (!('fileName' in origin)) return place
  return `${origin.fileName.replace(/^(\.\.\/)+/, '')}:${origin.lineNumber}:${origin.columnNumber}`
})
process.stdout.write(text)
