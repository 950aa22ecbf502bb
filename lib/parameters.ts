/** Parameters of SSM that commands write and read, each below the stage's own path. */

/** When a restore was last tried, ISO 8601. */
export const drillParameter = (stage: string): string => `/berth/${stage}/restore-drill`

/** When the release was begun that was deployed last, ISO 8601. */
export const deployedParameter = (stage: string): string => `/berth/${stage}/deployed`

/** The releases of a stage that were well, each below this path. */
export const releasesPath = (stage: string): string => `/berth/${stage}/releases`
