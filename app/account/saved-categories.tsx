import { openness, useFeatures } from "../entitlements/features.ts";
import { ButtonLink } from "../ui/button.tsx";
import { PageLink } from "../ui/page-link.tsx";

export function SavedCategories({ categories }: { categories: { name: string; labels: string }[] }) {
  const isLaunched = openness(useFeatures()) !== "none";
  return (
    <section className="part" aria-labelledby="categories">
      <h2 id="categories">Your categories</h2>
      {categories.length > 0 ? (
        <>
          <ul className="grid gap-3">
            {categories.map(({ name, labels }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two may have the same name, and none is moved
              <li key={index}>
                <span className="label">{name}</span> {labels}
              </li>
            ))}
          </ul>
          <PageLink href="/dashboard/categories" className="inline-flex items-center min-h-11">
            Edit your categories
          </PageLink>
        </>
      ) : (
        <>
          <p>{`Start now: name your first six. ${isLaunched ? "" : "They wait here for launch."}`}</p>
          <div>
            <ButtonLink isQuiet href="/dashboard/categories">
              Name your categories
            </ButtonLink>
          </div>
        </>
      )}
    </section>
  );
}
