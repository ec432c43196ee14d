/** The light colors of theme.css, for where there is no stylesheet: browser UI, manifest, mails, and pictures. */
export const COLORS = {
  paper: "#fbf6ea",
  sheet: "#fffdf6",
  ink: "#1b1a17",
  quiet: "#5c574b",
  rule: "#ded4bd",
  edge: "#857d6a",
  coral: "#a8331f",
  green: "#17613b",
  label: "#ffd84d",
} as const;

export const DARK_BACKGROUND = "#12151b";
