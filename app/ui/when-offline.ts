/**
 * Runs a route's action from the browser. When the network fails, `answer` takes the action's place, so that the page
 * and what was typed stay where they are.
 */
export async function whenOffline<Answer>(send: () => Promise<Answer>, answer: Answer): Promise<Answer> {
  try {
    return await send();
  } catch (error) {
    // What fetch throws when no answer came; everything else is for the error page.
    if (error instanceof TypeError) return answer;
    throw error;
  }
}

export const COULD_NOT_REACH = "We could not reach the site. Check your connection and try again.";
