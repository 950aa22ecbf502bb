import type { Settings } from '../app/ports/basics.ts'
import { type TableName, tableEnv } from './dynamo/tables.ts'
import { type SecretName, secrets, type Variable } from './registry.ts'

/** The function's environment. Nothing else reads `process.env`. */
export interface Env {
  table(name: TableName): string
  secret(name: SecretName): string
  variable(name: Variable): string
  /** Path of a file in the bundle. */
  file(name: string): string
  settings(): Settings
}

export function readEnv(source: Readonly<Record<string, string | undefined>> = process.env): Env {
  const must = (name: string): string => {
    const value = source[name]
    if (!value)
      throw new Error(`the environment lacks ${name}; its area's access list must name the port that needs it`)
    return value
  }
  const variable = (name: Variable) => must(name)
  const perhaps = (name: Variable) => source[name]
  return {
    table: (name) => must(tableEnv(name)),
    secret: (name) => must(secrets[name]),
    variable,
    file: (name) => `${must('LAMBDA_TASK_ROOT')}/${name}`,
    settings: () => ({
      stage: variable('STAGE'),
      production: variable('STAGE') !== 'local',
      publicOrigin: variable('PUBLIC_ORIGIN'),
      cell: variable('CELL'),
      imageVersion: variable('IMAGE_VERSION'),
      // The default logs everything.
      logLevel: perhaps('LOG_LEVEL') === 'ERROR' ? 'ERROR' : 'INFO',
    }),
  }
}
