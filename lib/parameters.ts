/** SSM parameters of commands and of the state stack, below the stage's own path. */

/** Time of the last restore drill, ISO 8601. */
export const drillParameter = (stage: string): string => `/berth/${stage}/restore-drill`

/** The path of a stage's healthy releases. */
export const releasesPath = (stage: string): string => `/berth/${stage}/releases`

/** A value of the state stack that other stacks and commands read, such as `tables/users`. */
export const stateParameter = (stage: string, value: string): string => `/berth/${stage}/state/${value}`
