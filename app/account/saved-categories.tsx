import { PageLink } from "../ui/page-link.tsx";

export function SavedCategories({ categories }: { categories: { name: string; labels: string }[] }) {
  return (
    <section className="part" aria-labelledby="categories">
      <h2 id="categories">Your categories</h2>
      {categories.length > 0 ? (
        <ul className="grid gap-3">
          {categories.map(({ name, labels }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two may have the same name, and none is moved
            <li key={index}>
              <span className="label">{name}</span> {labels}
            </li>
          ))}
        </ul>
      ) : (
        <p>Name up to six, with the words your bank prints.</p>
      )}
      <PageLink href="/dashboard/categories" className="inline-flex items-center min-h-11">
        {categories.length > 0 ? "Edit your categories" : "Name your categories"}
      </PageLink>
    </section>
  );
}
