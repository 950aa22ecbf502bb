import type { ChannelLink } from '../../clients/typescript/operations.ts'
import { platformLabel } from '../labels.ts'

/** What a linked chat is called: a group by its name there, a direct chat by its platform and who we speak with there. */
export const chatName = ({ platform, title, person }: Pick<ChannelLink, 'platform' | 'title' | 'person'>): string =>
  title ?? `${platformLabel(platform)}, ${person}`
