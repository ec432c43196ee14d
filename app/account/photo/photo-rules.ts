/** The largest file of a photo: a phone's takes 2 to 8. */
export const PHOTO_MAX_MEGABYTES = 10;

/** Where a version of one's own photo is. */
const photoPath = (version: string) => `/account/photo/${version}`;

/** The photo to show: an uploaded one before a link; `null`: neither. */
export function photoOf(user: { image: string | null; photoVersion: string | null }): string | null {
  return user.photoVersion === null ? user.image : photoPath(user.photoVersion);
}

export const PHOTO_FAILURE = "Your photo wasn’t saved";
export const PHOTO_TOO_LARGE = `Choose a photo of at most ${PHOTO_MAX_MEGABYTES} MB`;
