/** Whether a holder of this scope spends from the wallet by itself, so that a cap on it means something. */
export const spends = (scope: string): boolean => scope === 'api:llm'
