import { icon } from '../components/icons.tsx'

export const ImageIcon = icon(
  <rect x="3.5" y="4.5" width="17" height="15" rx="2" />,
  <path d="m4 17 5-5 4 4 2.500-2.500L20 18M15.500 9.500h.01" />,
)
export const TableIcon = icon(
  <rect x="3.5" y="5" width="17" height="14" rx="2" />,
  <path d="M3.5 10h17M3.5 14.500h17M9.500 5v14" />,
)
export const CodeIcon = icon(<path d="m8 8-4 4 4 4M16 8l4 4-4 4M13.500 5.500l-3 13" />)
export const ArchiveIcon = icon(
  <rect x="4" y="4" width="16" height="5" rx="1.500" />,
  <path d="M5.500 9v10.500h13V9M10 13h4" />,
)
export const LinkIcon = icon(<path d="M14 4.500h5.500V10M19 5l-8 8M10 6H5v13h13v-5" />)
