import { data } from "react-router";

/**
 * Runs a route's action from the browser. When the network fails, `answer` takes the action's place, so that the page
 * and what was typed stay where they are.
 */
export async function whenOffline<Answer>(send: () => Promise<Answer>, answer: Answer) {
  try {
    return await send();
  } catch (error) {
    // What fetch throws when no answer came; everything else is for the error page.
    if (!(error instanceof TypeError)) throw error;
    // With a failure's status the router does not go on to load the page's data anew, which would fail as well.
    return data(answer, { status: 503 });
  }
}

export const COULD_NOT_REACH = "We could not reach the site. Check your connection and try again.";
