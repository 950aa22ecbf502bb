import type { ChannelPlatform } from '../../clients/typescript/operations.ts'
import type { Platform } from '../../domain/channels/platform.ts'
import { PlatformIcon } from '../components/icons.tsx'
import { platformLabel } from '../labels.ts'
import { channelTexts } from '../texts/channels.ts'

interface Props {
  platforms: ChannelPlatform[]
  chosen: Platform | null
  choose: (platform: Platform) => void
}

export const PlatformChoice = ({ platforms, chosen, choose }: Props) => (
  <fieldset className="bundles">
    <legend className="visually-hidden">{channelTexts.link.platform}</legend>
    {platforms.map(({ platform, name }) => (
      <label key={platform} className="bundle platform">
        <input type="radio" name="platform" checked={platform === chosen} onChange={() => choose(platform)} />
        <span>
          {platformLabel(platform)}
          <span className="muted">{name}</span>
        </span>
        <PlatformIcon platform={platform} />
      </label>
    ))}
  </fieldset>
)
