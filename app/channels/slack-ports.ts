/** Only Slack is installed by workspace, each with its own token. */

export interface SlackTeam {
  /** `T…` */
  teamId: string
  name: string
  /** The bot's user id in this workspace, `U…`. */
  botUserId: string
  /** The Slack user who installed it, `U…`. */
  installerId: string
  installedAt: string
}

export interface SlackTeams {
  /** The workspace and its token; null when our app is not installed there. */
  find(teamId: string): Promise<(SlackTeam & { token: string }) | null>
  /** Replaces the workspace's former installation. */
  save(team: SlackTeam, token: string): Promise<void>
  /** Deletes a workspace and its token, unless it was installed after `at`. */
  forget(teamId: string, at: string): Promise<void>
}

/** OAuth with Slack, which installs our app in a workspace. */
export interface SlackInstalls {
  /** The address where the user chooses a workspace. @throws conflict while the stage has no app at Slack */
  begin(userId: string, nowMs: number): Promise<{ url: string }>
  /**
   * Only for the user who began, within ten minutes.
   * @throws validation for another user's state or an invalid code; provider-error when Slack does not answer
   */
  finish(
    given: { code: string; state: string },
    userId: string,
    nowMs: number,
  ): Promise<{ team: SlackTeam; token: string }>
}
