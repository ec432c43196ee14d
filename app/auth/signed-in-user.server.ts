import { user } from "./schema.ts";

export interface SignedInUser {
  id: string;
  name: string;
  email: string;
  emailVerified: boolean;
  /** The address of their photo. */
  image: string | null;
}

/** The columns of `SignedInUser`. */
export const SIGNED_IN_USER_COLUMNS = {
  id: user.id,
  name: user.name,
  email: user.email,
  emailVerified: user.emailVerified,
  image: user.image,
};
