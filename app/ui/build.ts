import { type DataStrategyResult, data, isRouteErrorResponse, redirectDocument } from "react-router";

/** The field of a form's mark: of which build of the site its page is, a space, and which form of the page it is. */
export const BUILD_FIELD = "build";
/** The status for a form of another build’s page that was sent for data: nothing was done. */
export const OTHER_BUILD = 412;

const refused = new Set<unknown>();

/** Whether the server has just refused the form of this mark because its page is of another build. */
export const takeRefusal = (mark: string) => refused.delete(mark);

/**
 * Client middleware of every page. Data of another build than the page's may have another shape: the document is loaded instead. A
 * form of such a page is refused, and `PostForm` sends it as a document.
 *
 * @throws a redirect to the document
 */
export async function compareBuilds(
  { request }: { request: Request },
  next: () => Promise<Record<string, DataStrategyResult>>,
): Promise<Record<string, DataStrategyResult>> {
  const sent = request.method === "GET" ? null : request.clone();
  const results = await next();
  const { build } = document.documentElement.dataset;
  const root = results.root?.result;
  if (typeof root === "object" && root && "build" in root && root.build !== build)
    throw redirectDocument(request.url);
  for (const [id, { result }] of Object.entries(results))
    if (isRouteErrorResponse(result) && result.status === OTHER_BUILD) {
      refused.add((await sent?.formData())?.get(BUILD_FIELD));
      // No answer, and because of the status no revalidation: the page stays as it is.
      return { [id]: { type: "data", result: data(undefined, OTHER_BUILD) } };
    }
  return results;
}
