import { TextField, type TextFieldProps } from './text-field.tsx'

export const EmailField = (props: TextFieldProps) => (
  <TextField type="email" autoComplete="email" placeholder="ada@example.com" {...props} />
)
