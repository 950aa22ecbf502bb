import { refresh } from '../api/cache.ts'
import { berth } from '../api/client.ts'
import { useAction } from '../components/use-action.ts'

export const useSkillSwitch = (id: string) =>
  useAction(async (enabled: boolean) => {
    await (enabled ? berth.enableSkill : berth.disableSkill)({ id })
    refresh('listSkills', 'getSkill')
  })
