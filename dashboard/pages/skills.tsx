import { SkillList } from '../catalogue/skill-list.tsx'
import { SkillPage } from '../catalogue/skill-page.tsx'
import { Tabs } from '../catalogue/tabs.tsx'
import { useSearchParameter } from '../router.tsx'
import { catalogueTexts } from '../texts/catalogue.ts'
import '../styles/catalogue.css'

const words = catalogueTexts.skills

export function SkillsPage() {
  const id = useSearchParameter('skill')
  return (
    <>
      <Tabs current="/skills" />
      <h1>{words.title}</h1>
      {id === null ? (
        <>
          <p className="muted page-lead">{words.lead}</p>
          <SkillList />
        </>
      ) : (
        <SkillPage key={id} id={id} />
      )}
    </>
  )
}
