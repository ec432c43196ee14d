/** A phone's photos take 2 to 8. */
export const PHOTO_MAX_MEGABYTES = 10;

/** The URL of the photo to show: the uploaded one, or else the link; `null`: neither. */
export function photoOf(user: { image: string | null; photoVersion: string | null }): string | null {
  return user.photoVersion === null ? user.image : `/account/photo/${user.photoVersion}`;
}

export const PHOTO_FAILURE = "Your photo wasn’t saved";
export const PHOTO_TOO_LARGE = `Choose a photo of at most ${PHOTO_MAX_MEGABYTES} MB`;
