/** Slack alone is installed by workspace, each with a token of its own. */

/** A workspace that has our app. */
export interface SlackTeam {
  /** `T…` */
  teamId: string
  name: string
  /** Our own user there, `U…`. */
  botUserId: string
  /** The Slack user who installed it, `U…`. */
  installerId: string
  installedAt: string
}

export interface SlackTeams {
  /** The workspace and the token to speak with there; null when it does not have us, or has us no more. */
  find(teamId: string): Promise<(SlackTeam & { token: string }) | null>
  /** A workspace is kept once, by its last installation. */
  save(team: SlackTeam, token: string): Promise<void>
  /** Forgets a workspace and its token, unless it was installed after `at`. */
  forget(teamId: string, at: string): Promise<void>
}

/** OAuth with Slack: how a workspace comes to have us. */
export interface SlackInstalls {
  /**
   * Where the browser of this user is sent to choose a workspace. @throws conflict while the stage has no app at Slack
   */
  begin(userId: string, nowMs: number): Promise<{ url: string }>
  /**
   * Slack's information about the chosen workspace, for the user who began, within ten minutes.
   * @throws validation when the state is not this user's or the code is not good; provider-error when Slack does not
   * answer
   */
  finish(
    given: { code: string; state: string },
    userId: string,
    nowMs: number,
  ): Promise<{ team: SlackTeam; token: string }>
}
