import { area } from '../kit/operation.ts'
import { access } from './access.ts'
import { getSession } from './get-session.ts'
import { login } from './login.ts'
import { logout } from './logout.ts'
import { verify } from './verify.ts'

export const authArea = area({ name: 'auth', access, operations: [login, verify, logout, getSession] })
