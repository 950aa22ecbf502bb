import type { Operators } from '../app/ports/operator.ts'
import { readOperators } from '../domain/operator/operators.ts'
import type { Env } from './env.ts'

/** Read each time, so that a changed setting applies at once. */
export const operators = (env: Env): Operators => ({
  all: () => readOperators(env.variable('OPERATORS')),
  maxCents: () => Number(env.variable('OPERATOR_MAX_CENTS')),
  maxDayCents: () => Number(env.variable('OPERATOR_MAX_DAY_CENTS')),
})
