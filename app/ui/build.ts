import { type DataStrategyResult, data, isRouteErrorResponse, redirectDocument } from "react-router";

/** Of a form: its page's build, a space, and which form of the page it is. */
export const BUILD_FIELD = "build";
/** For another build’s form that was sent for data: nothing was done. */
export const OTHER_BUILD = 412;

const refused = new Set<unknown>();

/** Whether the server has just refused this form because of its build. */
export const takeRefusal = (mark: string) => refused.delete(mark);

/** Another build's data may have another shape: the document is loaded instead. @throws a redirect to the document */
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
      // Without an answer, and by the status without revalidation, the page stays as it is.
      return { [id]: { type: "data", result: data(undefined, OTHER_BUILD) } };
    }
  return results;
}
