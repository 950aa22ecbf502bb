/** SSM parameters that commands write and read, below the stage's own path. */

/** Time of the last restore drill, ISO 8601. */
export const drillParameter = (stage: string): string => `/berth/${stage}/restore-drill`

/** The path of a stage's healthy releases. */
export const releasesPath = (stage: string): string => `/berth/${stage}/releases`
