import { createElement, type ReactElement, type ReactNode } from 'react'
import type { Platform } from '../../domain/channels/platform.ts'

const stroke = {
  className: 'icon',
  viewBox: '0 0 24 24',
  fill: 'none',
  stroke: 'currentColor',
  strokeWidth: '1.8',
  strokeLinecap: 'round',
  strokeLinejoin: 'round',
  'aria-hidden': true,
} as const

export const icon =
  (...drawing: ReactElement[]) =>
  () =>
    createElement('svg', stroke, ...drawing)

export const ChatIcon = icon(<path d="M4 5.5h16v11H9.5L5 20v-3.5H4z" />)
export const WalletIcon = icon(
  <rect x="3.5" y="6" width="17" height="13" rx="2.5" />,
  <path d="M3.5 10h17M16 14.5h1.5" />,
)
export const SearchIcon = icon(<circle cx="10.5" cy="10.5" r="6" />, <path d="M15 15l5 5" />)
export const FilesIcon = icon(<path d="M4 6.5h5.5l2 2.5H20v9.5H4z" />)
export const InstanceIcon = icon(
  <rect x="4" y="4.5" width="16" height="6" rx="1.8" />,
  <rect x="4" y="13.5" width="16" height="6" rx="1.8" />,
  <path d="M7.5 7.5h.01M7.5 16.5h.01" />,
)
export const TokenIcon = icon(<circle cx="8" cy="15.5" r="3.8" />, <path d="m10.8 12.8 8.2-8.3M16 7.5l2.5 2.5" />)
export const SendIcon = icon(<path d="M12 19V5.5M6 11l6-6 6 6" />)
export const CheckIcon = icon(<path d="m5.5 12.5 4.2 4.2L18.5 8" />)
export const DownIcon = icon(<path d="M12 5v14M6 13l6 6 6-6" />)
export const LeftIcon = icon(<path d="m14.5 6-6 6 6 6" />)
export const RightIcon = icon(<path d="m9.5 6 6 6-6 6" />)
export const MoreIcon = icon(
  <circle cx="5.5" cy="12" r="1" />,
  <circle cx="12" cy="12" r="1" />,
  <circle cx="18.5" cy="12" r="1" />,
)
export const PinIcon = icon(<path d="M9 4.5h6l-.8 6 2.8 3.5H7l2.8-3.500zM12 14v6" />)
export const CopyIcon = icon(
  <rect x="8.5" y="8.5" width="11" height="11" rx="2" />,
  <path d="M15.5 8.5v-2a2 2 0 0 0-2-2h-7a2 2 0 0 0-2 2v7a2 2 0 0 0 2 2h2" />,
)
export const AccountIcon = icon(
  <circle cx="12" cy="8.5" r="3.7" />,
  <path d="M4.8 20c.8-3.8 3.700-5.600 7.200-5.600s6.400 1.800 7.200 5.600" />,
)
export const BellIcon = icon(<path d="M6.5 16.500V11a5.5 5.5 0 0 1 11 0v5.500H19H5M10.5 19.500h3" />)
export const SkillIcon = icon(<path d="M12 4l2.2 4.9 5.3.6-3.9 3.6 1.1 5.2L12 15.7l-4.7 2.6 1.1-5.2-3.9-3.6 5.3-.6z" />)
export const ConnectIcon = icon(
  <path d="M10 14a4 4 0 0 0 5.7.300l3-3a4 4 0 0 0-5.7-5.700l-1.3 1.3" />,
  <path d="M14 10a4 4 0 0 0-5.7-.300l-3 3a4 4 0 0 0 5.7 5.700l1.3-1.3" />,
)
const platformIcons: Record<Platform, () => ReactNode> = {
  telegram: icon(<path d="M20.5 4 3.5 11l6 2.300M20.5 4l-2.8 15-8.2-5.700M20.5 4 9.5 13.300V19l2.8-3.7" />),
  slack: icon(<path d="M9.5 3.5 7.5 20.500M16.5 3.500l-2 17M4.5 8.500h16M3.5 15.500h16" />),
  discord: icon(
    <path d="M8 6.500a12 12 0 0 1 8 0l2 .800c1.5 2.5 2.5 5.7 2.5 9l-3.7 2.2-1.6-2.200a12 12 0 0 1-6.4 0l-1.6 2.2-3.7-2.200c0-3.3 1-6.5 2.5-9z" />,
    <path d="M9.2 12.300h.01M14.8 12.300h.01" />,
  ),
}

/** None for a platform of a later version. */
export function PlatformIcon({ platform }: { platform: Platform }) {
  const Icon = platformIcons[platform]
  return Icon && <Icon />
}

export const Brand = () => (
  <span className="brand">
    <svg viewBox="0 0 32 32" className="mark" aria-hidden="true">
      <rect width="32" height="32" rx="8" className="mark-ground" />
      <path d="M6 20h20l-3.2 5.2H9.2z" className="mark-boat" />
      <path d="M15 6v11H8.5zM17.4 8.5V17H23z" className="mark-boat" />
    </svg>
    Berth
  </span>
)
export const ClipIcon = icon(
  <path d="m19.5 11.5-7.6 7.6a4.8 4.8 0 0 1-6.8-6.8l8-8a3.2 3.2 0 0 1 4.5 4.5l-7.8 7.9a1.6 1.6 0 0 1-2.3-2.3l6.9-6.9" />,
)
export const FileIcon = icon(<path d="M6 3.5h7.5L18 8v12.5H6z" />, <path d="M13.5 3.5V8H18" />)
export const RemoveIcon = icon(<path d="m7 7 10 10M17 7 7 17" />)
