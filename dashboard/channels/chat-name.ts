import type { ChannelLink } from '../../clients/typescript/operations.ts'
import { platformLabel } from '../labels.ts'

/** A group's own name, or the platform and the partner of a direct chat. */
export const chatName = ({ platform, title, person }: Pick<ChannelLink, 'platform' | 'title' | 'person'>): string =>
  title ?? `${platformLabel(platform)}, ${person}`
