import { z } from "zod";
import { personName, photoUrl } from "../../auth/person-fields.server.ts";

/** An empty photo removes it. */
export const profileForm = z.object({ name: personName, photo: photoUrl.optional() });
