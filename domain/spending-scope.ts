/** True for a scope whose holder spends from the wallet, so that a cap has an effect. */
export const spends = (scope: string): boolean => scope === 'api:llm'
