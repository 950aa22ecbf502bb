/** Compiles the package of the current folder into `dist`, because Node runs no TypeScript below `node_modules`. */
import { execFileSync } from 'node:child_process'
import { cpSync, globSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'

rmSync('dist', { recursive: true, force: true })
execFileSync('tsc', ['-p', '.'], { stdio: 'inherit' })
for (const path of globSync('**/*.{css,html,js,mjs}', { exclude: ['dist', 'node_modules', 'test'] }))
  cpSync(path, join('dist', basename(process.cwd()), path))
cpSync('../../LICENSE', 'dist/LICENSE')
