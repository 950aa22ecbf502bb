import { openapi } from '../../adapters/files/openapi.ts'
import { models } from '../../adapters/models/models.ts'
import { wire } from '../../adapters/wire.ts'
import { serve } from '../kit/serve.ts'
import { access } from './access.ts'
import { publicArea } from './index.ts'

export const handler = serve(publicArea, wire(access, { models, openapi }))
