import { data } from "react-router";

/**
 * Runs a route's server action from a client action. When the network fails, it returns `answer` instead, so that the
 * page stays and keeps what was typed.
 */
export async function whenOffline<Answer>(send: () => Promise<Answer>, answer: Answer) {
  try {
    return await send();
  } catch (error) {
    // What fetch throws on network errors; anything else belongs on the error page.
    if (!(error instanceof TypeError)) throw error;
    // With an error status the router does not revalidate the loaders, which would fail as well.
    return data(answer, { status: 503 });
  }
}

export const COULD_NOT_REACH = "We couldn’t reach the site. Check your connection and try again.";
