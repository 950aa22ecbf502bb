/** The program that compiles what `npm start` runs besides functions: `node local/compile-programs.ts FOLDER`. */
import { join } from 'node:path'
import { compile, programs } from '../agent/image/compile.ts'

const [, , folder = ''] = process.argv
compile([...programs, join(import.meta.dirname, '../gateway/main.ts')], folder)
